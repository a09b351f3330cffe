-- No call to the service for this resource, deletion included, until it is resumed.
obj.metadata.annotations = obj.metadata.annotations or {}
obj.metadata.annotations["dms-operator.dev/paused"] = "true"
return obj
