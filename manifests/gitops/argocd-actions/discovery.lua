-- Which actions Argo CD offers for a Deployment of dms-operator.dev, and which of them make sense now.
local metadata = obj.metadata or {}
local status = obj.status or {}

local paused = (metadata.annotations or {})["dms-operator.dev/paused"] == "true"
local current = (status.observedGeneration or -1) >= (metadata.generation or 0)
local waits = false
for _, each in ipairs(status.conditions or {}) do
  if each.type == "Synced" and each.reason == "AwaitingApproval" then
    waits = current and status.plan ~= nil and status.plan.hash ~= nil
  end
end

return {
  reconcile = { disabled = paused, iconClass = "fa fa-fw fa-sync", displayName = "Reconcile now" },
  approve = { disabled = not waits, iconClass = "fa fa-fw fa-check", displayName = "Approve the plan" },
  pause = { disabled = paused, iconClass = "fa fa-fw fa-pause", displayName = "Pause" },
  resume = { disabled = not paused, iconClass = "fa fa-fw fa-play", displayName = "Resume" },
}
