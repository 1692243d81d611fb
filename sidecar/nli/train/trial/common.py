import sys, json, re, math, random
sys.path.insert(0,'../../../../sidecar/nli/train')
import numpy as np, torch
import weights, card, measure, data
from encoder import Verifier, Encoder, collate, sentence, tokenizer
D='../../../../../shared/data/npc/'
vocab=open('../../../../weights/vocab.txt').read().rstrip('\n').split('\n')
tok=tokenizer(vocab)
def load(path='../../../../weights/verifier.safetensors'):
    return card.shipped(__import__('pathlib').Path(path))[0]
STOP=set("a an the and or but of to in on at for with by from as is are was were be been being am do does did have has had it its he she they we you i me my your his her their our this that these those there here not no so if then than too very just will would can could should may might must what who where when why how which".split())
def words(s): return re.findall(r"[a-z0-9']+", s.lower())
def content(s): return {stem(w) for w in words(s) if w not in STOP and len(w)>1}
def stem(w):
    w=w.replace("'s","")
    for suf in ('ing','edly','ed','es','s','ly'):
        if w.endswith(suf) and len(w)-len(suf)>=3: return w[:-len(suf)]
    return w
def sents(t):
    out=[]
    for line in t.split('\n'):
        for s in re.split(r'(?<=[.!?])\s+', line.strip()):
            if s: out.append(s)
    return out
def items(path):
    out=[]
    for l in open(path):
        r=json.loads(l)
        prev=[]
        for i,s in enumerate(r['sentences']):
            out.append(dict(id=r['id'],world=r['world'],name=r['name'],style=r['style'],q=r['message'],prev=list(prev),self=r['self'],
                 ev={e['id']:e['text'] for e in r['evidence']},text=s['text'],cites=s.get('cites',[]),label=s['label'],
                 kind=s.get('kind') or s.get('judge',{}).get('kind'),judge=s.get('judge'),fault=s.get('fault'),at=i))
            prev.append(s['text'])
    return out
def ntok(s): return len(tok.encode(s).ids)
def select(it, budget=110, citedfirst=True, selfbonus=0.0):
    """sentences of blocks and self, cited blocks whole first, rest by overlap with sentence (+question a bit)"""
    want=content(it['text']); ctx=content(it['q'])|(content(it['prev'][-1]) if it['prev'] else set())
    units=[]
    for k,v in it['ev'].items():
        for n,s in enumerate(sents(v)): units.append((k,n,s))
    selfname=it['name']
    for n,s in enumerate(sents(it['self'])): units.append(('self',n,s))
    df={}
    for u in units:
        for w in content(u[2]): df[w]=df.get(w,0)+1
    N=len(units)
    def sc(u):
        c=content(u[2]); 
        s=sum(math.log(1+N/df[w]) for w in c&want)+0.3*sum(math.log(1+N/df[w]) for w in c&ctx-want)
        if u[0] in it['cites']: s+=4 if u[0]!='self' else 1.0
        return s
    order=sorted(range(N),key=lambda i:-sc(units[i]))
    take=[];used=0
    for i in order:
        t=ntok(units[i][2])+1
        if used+t>budget: continue
        take.append(i);used+=t
    take.sort()
    return ' '.join(units[i][2] for i in take)
def hyp(it, ctx):
    t=it['text']
    if ctx==0: return t
    p=it['q']
    if ctx==2 and it['prev']: p=p+' '+it['prev'][-1]
    return p+' '+t
def score_pairs(model, pairs, limit=256, batch=32):
    ids=[(tok.encode(a).ids, sentence(tok,b)) for a,b in pairs]
    order=sorted(range(len(ids)),key=lambda i:len(ids[i][0])+len(ids[i][1]))
    E=np.zeros((len(ids),3));A=np.zeros(len(ids)); X=[None]*len(ids)
    model.eval()
    with torch.no_grad(), torch.autocast('cpu',dtype=torch.bfloat16):
        for at in range(0,len(order),batch):
            part=order[at:at+batch]
            e,a=model(*collate([ids[i] for i in part],limit))[:2]
            E[part]=torch.softmax(e.float(),-1).double().numpy(); A[part]=a.float().numpy()
    model.train()
    return E,A
def lg(p): p=np.clip(p,1e-6,1-1e-6); return np.log(p/(1-p))
def report(name, y, s):
    au=measure.auroc(s[y],s[~y]); print(f"{name:40} n={len(y)} pos={y.sum()} AUROC {au:.3f} acc@1 {measure.accepted(s[y],s[~y],.01):.3f} @3 {measure.accepted(s[y],s[~y],.03):.3f} @5 {measure.accepted(s[y],s[~y],.05):.3f} @8 {measure.accepted(s[y],s[~y],.08):.3f}",flush=True); return au
