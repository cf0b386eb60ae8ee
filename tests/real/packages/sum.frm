#-
Symbols a,b,c,d,e;
Off statistics;
Local F = (a+b+c+d+e)^12;
.sort
id a = 1; id b = 1; id c = 1; id d = 1; id e = 1;
Print;
.end
