import torch,sys
a=torch.load('run1/checkpoint.pt')['average']; b=torch.load('run2/checkpoint.pt')['average']
w=float(sys.argv[1]); torch.save({'average':{k:(a[k]*(1-w)+b[k]*w) if a[k].is_floating_point() else a[k] for k in a}},'avg.pt')
