import re, pathlib, json
Q=re.compile(r'^(w\+|w-|s0|c0)\s*(.*?)\s*\|\s*(.+)$')
def speech_files(folder):
    """items like common.items from text files"""
    out=[];bad=[]
    for p in sorted(pathlib.Path(folder).glob('*.txt')):
        world=npc=name=self_='';ev={};q='';style='';prev=[];turn=0;fresh=True
        for n,line in enumerate(p.read_text(encoding='utf-8').splitlines(),1):
            line=line.strip()
            if not line or line.startswith('```'): continue
            if line.startswith('## '):
                a=line[3:].split('|'); npc=a[0].strip(); name=(a[1] if len(a)>1 else a[0]).strip(); ev={}; fresh=True; continue
            if line.startswith('# '): world=line[2:].strip(); ev={}; continue
            if line.startswith('self:'): self_=line[5:].strip(); ev={}; continue
            m=re.match(r'^(E\d+):\s*(.+)$',line)
            if m:
                if not fresh: ev={};fresh=True
                ev=dict(ev); ev[m[1]]=m[2]; continue
            if line.startswith('Q:'): q=line[2:].strip(); turn+=1; continue
            if line.rstrip(':') in('good','careless'): style=line.rstrip(':'); prev=[]; at=0; continue
            m=Q.match(line)
            if not m: bad.append(f'{p.name}:{n}: {line[:80]}'); continue
            code,mid,txt=m[1],m[2],m[3].strip()
            part=None
            if '::' in mid: mid,part=[x.strip() for x in mid.split('::',1)]
            toks=mid.replace(',',' ').split()
            ids=[t for t in toks if re.match(r'^(E\d+|self)$',t)]; fault=[t for t in toks if not re.match(r'^(E\d+|self)$',t)]
            if code=='w-' and part and part.lower() not in txt.lower(): bad.append(f'{p.name}:{n}: part not in sentence: {part}')
            for i in ids:
                if i!='self' and i not in ev: bad.append(f'{p.name}:{n}: unknown id {i}')
            if code[0]=='w' and not ids and code=='w+': bad.append(f'{p.name}:{n}: no id')
            lab={'w+':'supported','w-':'unsupported','s0':'no_claim','c0':'no_claim'}[code]
            kind={'w+':'world','w-':'world','s0':'self','c0':'social'}[code]
            out.append(dict(id=f'{p.stem}/{turn}/{style}',world=world,name=name,style=style,q=q,prev=list(prev),self=self_,ev=ev,text=txt,cites=ids,label=lab,kind=kind,fault=fault[0] if fault else None,part=part,at=len(prev)))
            prev.append(txt)
    return out,bad
def asked_files(folder):
    out=[];bad=[]
    for p in sorted(pathlib.Path(folder).glob('*.txt')):
        world=name='';ps={}
        cur=None
        for n,line in enumerate(p.read_text(encoding='utf-8').splitlines(),1):
            line=line.strip()
            if not line or line.startswith('```'): continue
            if line.startswith('## '):
                name=line[3:].split('|')[-1].strip(); ps={}; cur=dict(world=world,name=name,passages=ps,questions=[]); out.append(cur); continue
            if line.startswith('# '): world=line[2:].strip(); continue
            m=re.match(r'^(P\d+)\s+(backstory|own|lore|other):\s*(.+)$',line)
            if m: ps[m[1]]=(m[2],m[3]); continue
            m=re.match(r'^Q\s+(\w+)\s+(.*?)\s*\|\s*(.+)$',line)
            if not m: bad.append(f'{p.name}:{n}: {line[:80]}'); continue
            ans=[];part=[];sen=[]
            for t in m[2].replace(',',' ').split():
                if t=='-': continue
                pt=t.startswith('~'); t=t.lstrip('~'); base=t.split('.')[0]
                if base not in ps: bad.append(f'{p.name}:{n}: unknown {t}'); continue
                (part if pt else ans).append(base)
                if not pt and '.' in t: sen.append(t)
            cur['questions'].append(dict(q=m[3],answers=ans,part=part,kind=m[1],sentences=sen))
    return out,bad
def asked_jsonl(path):
    out=[]
    for l in open(path):
        r=json.loads(l)
        out.append(dict(world=r['world'],name=r['name'],passages={p['id']:(p['kind'],p['text']) for p in r['passages']},
            questions=[dict(q=q['q'],answers=q['answers'],part=q['part'],kind=q['kind'],sentences=[]) for q in r['questions']]))
    return out
if __name__=='__main__':
    import sys,collections
    o,b=speech_files('../speech'); print(len(o),'sentences',len({i['world'] for i in o}),'worlds',collections.Counter(i['label'] for i in o),len(b),'bad'); print('\n'.join(b[:20]))
    o,b=asked_files('../asked'); print(len(o),'npcs',sum(len(x['questions']) for x in o),'questions',len(b),'bad'); print('\n'.join(b[:20]))
