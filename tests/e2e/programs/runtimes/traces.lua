-- SPDX-License-Identifier: MIT
-- Makes LuaJIT compile many traces, link them and patch their exits.
local t = {}
local function fib(n) if n < 2 then return n end return fib(n-1) + fib(n-2) end
local function str(n) local s = "" for i=1,n do s = s .. string.char(65 + i % 26) end return s end
local function sorted(n) local a = {} for i=1,n do a[i] = (i * 7919) % 1009 end table.sort(a, function(x,y) return x<y end) return a[1] end
local function cls(n) local mt = {__index=function(_,k) return k*2 end} local o = setmetatable({}, mt) local s=0 for i=1,n do s = s + o[i] end return s end
local co = coroutine.wrap(function() local x=0 while true do for i=1,100 do x=(x*31+i)%10007 end coroutine.yield(x) end end)
local sum = 0
for r=1,40 do
  sum = sum + fib(12) + #str(60) + sorted(100) + cls(200) + co()
  for k=1,20 do t[k] = (t[k] or 0) + k; sum = sum + t[k] end
  local ok = pcall(function() if r % 3 == 0 then error("x") end end)
end
print(sum)
