-- The plan that status shows may be sent. Its hash is good for this plan only: one that changes meanwhile waits again.
local plan = (obj.status or {}).plan or {}
if plan.hash == nil then
  error("no plan waits for approval")
end
obj.metadata.annotations = obj.metadata.annotations or {}
obj.metadata.annotations["dms-operator.dev/approve"] = plan.hash
return obj
