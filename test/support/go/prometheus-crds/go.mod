// Nothing is built from these: the CustomResourceDefinitions in them are read.
module dms-operator.dev/test/prometheus-crds

go 1.26.0

require github.com/prometheus-operator/prometheus-operator v0.85.0
