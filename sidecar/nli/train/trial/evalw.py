import sys
from common import *
import pathlib
torch.set_num_threads(2)
m=load(sys.argv[1])
here=pathlib.Path('../../../../sidecar/nli/train'); dd=pathlib.Path('../../../../../shared/data')
dev=data.npc_pairs(dd/'npc'/'pairs.jsonl'); held=[p for g in data.written_groups(here/'held') for p in g.pairs]
import collections
org=collections.defaultdict(list)
for p in data.public(dd/'nli'/'dev.jsonl.gz',frozenset()): org[p.origin].append(p)
def ev(name,ps):
    E,_=score_pairs(m,[(p.premise,p.hypothesis) for p in ps]); y=np.array([p.label==0 for p in ps]); return report(name,y,lg(E[:,0]))
ev('npc pairs',dev); ev('held',held)
for o,ps in sorted(org.items()): ev(o,random.Random(o).sample(ps,min(300,len(ps))))
for nm,path in (('speech',D+'speech.jsonl'),('heldsp','./held.jsonl')):
    its=[i for i in items(path) if i['label']!='no_claim']; y=np.array([i['label']=='supported' for i in its])
    E,_=score_pairs(m,[(select(i,110),i['text']) for i in its]); report(nm+' selected noctx',y,lg(E[:,0]))
    ids=[(tok.encode(select(i,110)).ids, tok.encode(i['q']).ids[-40:]+([102]+tok.encode(i['prev'][-1]).ids[-40:] if i['prev'] else [])+[102]+sentence(tok,i['text'])) for i in its]
    out=np.zeros((len(ids),3))
    with torch.no_grad(), torch.autocast('cpu',dtype=torch.bfloat16):
        for at in range(0,len(ids),32): out[at:at+32]=torch.softmax(m(*collate(ids[at:at+32],192))[0].float(),-1).numpy()
    report(nm+' selected ctx',y,lg(out[:,0]))
