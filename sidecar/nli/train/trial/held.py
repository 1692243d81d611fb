# write held-out settings (new + speech-train) as JSONL rows
from common import *
import reader_data, zlib, collections
def held(world): return zlib.crc32(world.encode())%10==0
rows=[json.loads(l) for l in open(D+'speech-train.jsonl')]
out=[r for r in rows if held(r['world'])]
its,_=reader_data.speech_files('../speech')
by=collections.OrderedDict()
for i in its:
    if not held(i['world']): continue
    r=by.setdefault(i['id'],dict(id=i['id'],world=i['world'],npc='npc',name=i['name'],message=i['q'],style=i['style'],self=i['self'],evidence=[dict(id=k,text=v) for k,v in i['ev'].items()],sentences=[]))
    r['sentences'].append(dict(text=i['text'],cites=i['cites'],label=i['label'],kind=i['kind']))
out+=list(by.values())
json_lines='\n'.join(json.dumps(r) for r in out)+'\n'
open('./held.jsonl','w').write(json_lines)
print(len(out),'rows',sum(len(r['sentences']) for r in out),len({r['world'] for r in out}),'worlds')
