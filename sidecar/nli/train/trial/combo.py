import sys
from common import *
torch.set_num_threads(1)
m=load(sys.argv[1])
def feats(its):
    ids=[(tok.encode(select(i,110)).ids, tok.encode(i['q']).ids[-40:]+([102]+tok.encode(i['prev'][-1]).ids[-40:] if i['prev'] else [])+[102]+sentence(tok,i['text'])) for i in its]
    out=np.zeros((len(ids),3))
    with torch.no_grad(), torch.autocast('cpu',dtype=torch.bfloat16):
        for at in range(0,len(ids),32): out[at:at+32]=torch.softmax(m(*collate(ids[at:at+32],192))[0].float(),-1).numpy()
    pairs=[];own=[]
    for k,i in enumerate(its):
        cs=[c for c in i['cites']] or []
        for c in cs:
            t=' '.join(sorted(sents(i['self']),key=lambda s:-len(content(s)&content(i['text'])))[:3]) if c=='self' else i['ev'].get(c,'')
            if t: pairs.append((t,i['text']));own.append(k)
        if len(cs)>1:
            pairs.append((' '.join(i['ev'].get(c,'') if c!='self' else '' for c in cs),i['text'])); own.append(k)
    E,_=score_pairs(m,pairs); mx=np.full(len(its),1e-3); cj=np.zeros(len(its))
    for p,k in zip(E[:,0],own): mx[k]=max(mx[k],p)
    X=[]
    for k,i in enumerate(its):
        allt=' '.join(i['ev'].values())+' '+i['self']; w=content(i['text']); sh=len(w&content(allt))/max(1,len(w))
        cit=' '.join(i['ev'].get(c,'') for c in i['cites']); sc=len(w&content(cit))/max(1,len(w))
        X.append([lg(out[k,0]),lg(out[k,2]),lg(mx[k]),sh,sc,math.log(1+len(words(i['text']))),len(i['cites']),float('self' in i['cites']),len(i['ev'])])
    return np.array(X),np.array([i['label']=='supported' for i in its])
np.set_printoptions(precision=2,suppress=True)
tr=[i for i in items('./held.jsonl') if i['label']!='no_claim']; dv=[i for i in items(D+'speech.jsonl') if i['label']!='no_claim']
Xt,yt=feats(tr); Xd,yd=feats(dv)
for j,n in enumerate(['sel','contra','maxcited','share','sharec','len','ncite','self','nev']): print(n, round(measure.auroc(Xt[yt,j],Xt[~yt,j]),3), round(measure.auroc(Xd[yd,j],Xd[~yd,j]),3))
def fit(X,y,cols,l2=1.0):
    A=X[:,cols]; mu,sd=A.mean(0),A.std(0)+1e-9; Z=np.c_[np.ones(len(A)),(A-mu)/sd]; w=np.zeros(Z.shape[1])
    for _ in range(50):
        p=1/(1+np.exp(-Z@w)); g=Z.T@(p-y)+l2*np.r_[0,w[1:]]; H=(Z*(p*(1-p))[:,None]).T@Z+l2*np.eye(len(w)); w-=np.linalg.solve(H,g)
    return lambda X:np.c_[np.ones(len(X)),(X[:,cols]-mu)/sd]@w, w
for cols in ([0],[0,1],[2],[0,2],[0,1,2],[0,1,2,3,5],[0,1,2,3,4,5,6,7],[0,1,3,5,6,7]):
    f,w=fit(Xt,yt.astype(float),cols); report('fit held '+str(cols),yt,f(Xt)); report('  on speech',yd,f(Xd)); print(w)
