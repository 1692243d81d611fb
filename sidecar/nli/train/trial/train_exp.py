import argparse, copy, time, zlib, gzip
from common import *
import reader_data, made
from train import Batches, Mixture, Phase, entailment_loss, contrast_loss, forever, LIMIT
from data import Pair, Group, ENTAILMENT
import torch.nn as nn, torch.nn.functional as F
ap=argparse.ArgumentParser(); ap.add_argument('--out'); ap.add_argument('--steps',type=int,default=600); ap.add_argument('--start',default='../../../../weights/verifier.safetensors')
ap.add_argument('--rate',type=float,default=6e-5); ap.add_argument('--seed',type=int,default=1); ap.add_argument('--speech',type=int,default=14); ap.add_argument('--lists',type=int,default=2); ap.add_argument('--made',type=int,default=3); ap.add_argument('--questions',type=int,default=2); ap.add_argument('--ctx',type=float,default=.6)
ap.add_argument('--public',type=int,default=4); ap.add_argument('--groups',type=int,default=2); ap.add_argument('--limit',type=int,default=192); ap.add_argument('--held',action='store_true'); ap.add_argument('--foldev',default=None)
a=ap.parse_args()
torch.set_num_threads(int(__import__("os").environ.get("TH","1"))); rng=random.Random(a.seed); torch.manual_seed(a.seed)
out=__import__('pathlib').Path(a.out); out.mkdir(exist_ok=True)
def held(world): return zlib.crc32(world.encode())%10==0
its=items(D+'speech-train.jsonl')
new,bad=reader_data.speech_files('../speech')
allsp=its+new
train=[i for i in allsp if not held(i['world'])]; hold=[i for i in allsp if held(i['world'])]
print(len(train),'train sentences',len(hold),'held',len({i['world'] for i in hold}),'held worlds',flush=True)
asked=reader_data.asked_jsonl(D+'asked.jsonl')+reader_data.asked_files('../asked')[0]
askt=[x for x in asked if not held(x['name'])]
lists=[(x,q) for x in askt for q in x['questions']]
reading=[json.loads(l) for l in gzip.open(D+'reading.jsonl.gz','rt')]
rt=[r for r in reading if zlib.crc32(r['group'].encode())%5!=0]
print(len(lists),'asked',len(rt),'reading',flush=True)
here=__import__('pathlib').Path('../../../../sidecar/nli/train'); dd=__import__('pathlib').Path('../../../../../shared/data')
dev=data.npc_pairs(dd/'npc'/'pairs.jsonl')
groups=data.apart(data.npc_groups(dd/'npc'/'train.jsonl'),dev)+data.apart(data.written_groups(here/'groups'),dev)
def fits(p): return len(tok.encode(p.premise).ids)+len(tok.encode(p.hypothesis).ids)<=125
pub=[p for p in random.Random(5).sample(data.public(dd/'nli'/'train.jsonl.gz',frozenset({'conjnli'})),16000)]
questions=data.answers(dd/'npc'/'answers.jsonl')+data.written_answers(here/'answers')
phase=Phase("speech",a.steps,a.groups,6,a.made,a.public,a.questions,(a.rate,0.0),1)
B=Batches(Mixture(groups,pub,questions),phase,rng)
class V2(Verifier):
    def __init__(s,e):
        super().__init__(e); h=e.shape.hidden
        s.kind_dense,s.kind_out=nn.Linear(h,h),nn.Linear(h,3)
    def forward(s,ids,types,mask):
        x=s.encoder(ids,types,mask)
        return s.entail_out(torch.tanh(s.entail_dense(x))), s.answers_out(torch.tanh(s.answers_dense(x))).squeeze(-1), s.kind_out(torch.tanh(s.kind_dense(x)))
model=V2(Encoder(card.shape_of(weights.read(__import__('pathlib').Path(a.start))[1]))) if a.start.endswith('safetensors') else V2(Encoder(card.shape_of(weights.read(__import__('pathlib').Path('../../../../weights/verifier.safetensors'))[1])))
if a.start.endswith('safetensors'): weights.restore(model,weights.read(__import__('pathlib').Path(a.start))[0])
else: model.load_state_dict(torch.load(a.start)['average'])
model.encoder.word.weight.requires_grad_(False)
ema=copy.deepcopy(model)
heads=[p for n,p in model.named_parameters() if not n.startswith('encoder.')]; body=[p for n,p in model.named_parameters() if n.startswith('encoder.') and p.requires_grad]
opt=torch.optim.AdamW([{'params':body,'scale':1.},{'params':heads,'scale':10.}],lr=1e-4,weight_decay=.01)
KIND={'world':0,'self':1,'social':2}
ids={}
def T(s):
    if s not in ids: ids[s]=tok.encode(s).ids
    return ids[s]
def S(s):
    k=('S',s)
    if k not in ids: ids[k]=sentence(tok,s)
    return ids[k]
def ctx_ids(it,mode):
    h=S(it['text'])
    if mode==0: return h
    c=T(it['q'])[-40:]
    if it['prev']: c=c+[102]+T(it['prev'][-1])[-40:]
    return c+[102]+h
RD=forever(rt,rng)
def reload():
    global SP,LI
    new,bad=reader_data.speech_files('../speech')
    allsp=its+new; train=[i for i in allsp if not held(i['world'])]
    asked=reader_data.asked_jsonl(D+'asked.jsonl')+reader_data.asked_files('../asked')[0]
    lists=[(x,q) for x in asked if not held(x['name']) for q in x['questions']]
    rng.shuffle(train); rng.shuffle(lists)
    SP=forever(train,rng); LI=forever(lists,rng)
    print('reload',len(train),len(lists),flush=True)
reload()
def view(it):
    r=rng.random(); j=dict(it)
    if r<.25: # single/cited blocks joined only
        ids_=[c for c in it['cites']] or list(it['ev'])[:2]
        prem=' '.join((sel_self(it) if c=='self' else it['ev'].get(c,'')) for c in ids_)
    else:
        if rng.random()<.3: j['cites']=[]
        prem=select(j,rng.choice((80,100,110,128)))
    return prem
def sel_self(it):
    want=content(it['text'])|content(it['q']); ss=sents(it['self'])
    return ' '.join(sorted(ss,key=lambda s:-len(content(s)&want))[:2])
def batch():
    pairs,qs=B.next()
    rows=[(T(p.premise),S(p.hypothesis)) for p in pairs]
    n=len(pairs); labels=[p.label for p in pairs]
    sp=[];
    # whole turn: draw a sentence, plus keep contrast: two sentences of same turn other style when possible
    for _ in range(a.speech): sp.append(next(SP))
    for it in sp:
        rows.append((T(view(it)),ctx_ids(it,1 if rng.random()<a.ctx else 0)))
    qrows=[(T(q.block),T(q.question)) for q in qs]; rows+=qrows
    L=[]
    for k in range(a.lists):
        x,q=next(LI)
        own=[p for p,(kd,_) in x['passages'].items()]
        pos=[p for p in own if p in q['answers']]; neg=[p for p in own if p not in q['answers'] and p not in q['part']]; part=[p for p in own if p in q['part']]
        pick=pos[:3]+part[:2]+rng.sample(neg,min(len(neg),7-min(3,len(pos))-min(2,len(part))))
        rng.shuffle(pick)
        qq=q['q']
        L.append(([1. if p in pos else (.25 if p in part else 0.) for p in pick],len(pick)))
        rows+=[(T(x['passages'][p][1]),T(qq.replace(' / ',' ; '))) for p in pick]
    if rng.random()<.5:
        r=next(RD); ps=r['passages'][:4]
        L.append(([float(p['answers']) for p in ps],len(ps))); rows+=[(T(p['text']),T(r['question'])) for p in ps]
    return rows,n,labels,pairs,sp,qs,L
def loss_of():
    rows,n,labels,pairs,sp,qs,L=batch()
    order=sorted(range(len(rows)),key=lambda i:len(rows[i][0])+len(rows[i][1]))
    third=len(order)//3
    parts=[order[:third],order[third:2*third],order[2*third:]]
    with torch.autocast('cpu',dtype=torch.bfloat16):
        said=[model(*collate([rows[i] for i in p],a.limit)) for p in parts]
    back=torch.tensor(order).argsort()
    e,an,kd=(torch.cat([s[k] for s in said]).float()[back] for k in range(3))
    lab=torch.tensor(labels); where={p.premise:i for i,p in enumerate(pairs)}
    prem=torch.tensor([where[p.premise] for p in pairs])
    loss=entailment_loss(e[:n],lab).mean()+.3*contrast_loss(e[:n],lab,prem)
    m=len(sp); se=e[n:n+m]; world=torch.tensor([i['label']!='no_claim' for i in sp])
    if world.any():
        sl=torch.tensor([0 if i['label']=='supported' else 3 for i in sp])[world]
        loss=loss+1.0*entailment_loss(se[world],sl).mean()
        mg=(se[:,0]-torch.logaddexp(se[:,1],se[:,2]))[world]; pos=mg[sl==0]; neg=mg[sl!=0]
        if len(pos) and len(neg): loss=loss+.15*F.softplus(1-(pos[:,None]-neg[None,:])).mean()
    loss=loss+.3*F.cross_entropy(kd[n:n+m],torch.tensor([KIND[i['kind']] for i in sp]))
    at=n+m
    if qs:
        loss=loss+.4*F.binary_cross_entropy_with_logits(an[at:at+len(qs)],torch.tensor([q.answers for q in qs])); at+=len(qs)
    for t,k in L:
        z=an[at:at+k]; at+=k; t=torch.tensor(t)
        bce=F.binary_cross_entropy_with_logits(z,t)
        logits=torch.cat([z,torch.zeros(1)]); hard=(t==1).float()
        tgt=torch.cat([hard/hard.sum(),torch.zeros(1)]) if hard.sum()>0 else torch.cat([torch.zeros(k),torch.ones(1)])
        loss=loss+(.5*bce+.25*-(tgt*F.log_softmax(logits,0)).sum())/1.0*.6
    return loss
start=0; ck=out/'checkpoint.pt'
if ck.exists():
    st=torch.load(ck); model.load_state_dict(st['model']); ema.load_state_dict(st['average']); opt.load_state_dict(st['optimiser']); start=st['step']
t0=time.time(); tot=0
for step in range(start,a.steps):
    if step%60==59: reload()
    rate=a.rate*min(1,(step+1)/60)*(1-step/a.steps)
    for g in opt.param_groups: g['lr']=rate*g['scale']
    l=loss_of(); opt.zero_grad(); l.backward(); torch.nn.utils.clip_grad_norm_(model.parameters(),1.); opt.step(); tot+=l.item()
    keep=min(.99,(step+1)/(step+21))
    with torch.no_grad():
        for x,p in zip(ema.parameters(),model.parameters()):
            if p.requires_grad: x.lerp_(p,1-keep)
            else: x.copy_(p)
    if (step+1)%25==0: print(step+1,round(tot/25,4),round(time.time()-t0),flush=True); tot=0
    if (step+1)%100==0 or step+1==a.steps:
        torch.save(dict(step=step+1,model=model.state_dict(),average=ema.state_dict(),optimiser=opt.state_dict()),str(ck)+'.tmp'); __import__('os').rename(str(ck)+'.tmp',ck)
