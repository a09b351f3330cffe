// Nothing is built from these: the CustomResourceDefinitions in them are read.
module dms-operator.dev/test/flux-crds

go 1.26.0

require (
	github.com/fluxcd/kustomize-controller v1.7.3
	github.com/fluxcd/source-controller v1.8.5
)
