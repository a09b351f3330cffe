-- How Argo CD shows Deployments, Connections and ClusterConnections of dms-operator.dev: Suspended while somebody
-- wants them to wait, Degraded where a person must change something, Healthy, or else Progressing. argocd-cm.yaml puts
-- it where Argo CD finds it.
local metadata = obj.metadata or {}
local spec = obj.spec or {}
local status = obj.status or {}

local function condition(kind)
  for _, each in ipairs(status.conditions or {}) do
    if each.type == kind then
      return each
    end
  end
end

local function health(state, because)
  if because == nil then
    return { status = state }
  end
  return { status = state, message = because.reason .. ": " .. because.message }
end

local ready = condition("Ready")
local synced = condition("Synced")
local stalled = condition("Stalled")

-- These come before the generation: while nothing may be done, an edit is not looked at either.
if (metadata.annotations or {})["dms-operator.dev/paused"] == "true" then
  return { status = "Suspended", message = "paused by the annotation dms-operator.dev/paused" }
end
if spec.suspend == true then
  return { status = "Suspended", message = "suspended by spec.suspend" }
end
if synced ~= nil and synced.reason == "Paused" then
  return health("Suspended", synced)
end

if (status.observedGeneration or -1) < (metadata.generation or 0) then
  return { status = "Progressing", message = "the controller has not seen this generation yet" }
end
if synced ~= nil and synced.reason == "AwaitingApproval" then
  return health("Suspended", synced)
end
if stalled ~= nil and stalled.status == "True" then
  return health("Degraded", stalled)
end
if ready ~= nil and ready.status == "True" then
  -- It serves; where it is not what the spec says all the same, that is what one wants to know.
  if synced ~= nil and synced.status ~= "True" then
    return health("Healthy", synced)
  end
  return health("Healthy", ready)
end
return health("Progressing", ready)
