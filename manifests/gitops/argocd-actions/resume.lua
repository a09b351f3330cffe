-- Only "true" pauses. The annotation is not removed: where it is the only one, Argo CD would keep all as they were, since
-- Lua cannot tell an empty map from an empty list.
obj.metadata.annotations = obj.metadata.annotations or {}
obj.metadata.annotations["dms-operator.dev/paused"] = "false"
return obj
