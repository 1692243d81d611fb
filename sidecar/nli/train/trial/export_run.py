import sys
from common import *
import torch.nn as nn, pathlib
sys.argv=sys.argv
src,dst,share=sys.argv[1],sys.argv[2],float(sys.argv[3]) if len(sys.argv)>3 else 1.0
base=pathlib.Path('../../../../weights/verifier.safetensors')
t,meta=weights.read(base)
class V2(Verifier):
    def __init__(s,e):
        super().__init__(e); h=e.shape.hidden
        s.kind_dense,s.kind_out=nn.Linear(h,h),nn.Linear(h,3)
m=V2(Encoder(card.shape_of(meta)))
m.load_state_dict(torch.load(src)['average'])
if share<1:
    o=V2(Encoder(card.shape_of(meta))); weights.restore(o,t)
    sd,od=m.state_dict(),o.state_dict()
    for k in sd:
        if not k.startswith('kind_') and not k.startswith('answers_'): sd[k]=sd[k]*share+od[k]*(1-share)
    m.load_state_dict(sd)
heads={}
for name in ('entail','answers','kind'):
    for part in ('dense','out'):
        l=getattr(m,f'{name}_{part}'); heads[f'heads.{name}.{part}.weight']=weights.flat(l.weight); heads[f'heads.{name}.{part}.bias']=weights.flat(l.bias)
weights.write(pathlib.Path(dst),'forsooth-nli-4',m.encoder,heads,True)
