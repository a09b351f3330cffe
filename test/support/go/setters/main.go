// Sets a marked field of a manifest as Flux's image automation does, which rests on the same library. Reads
// {"text": "...", "policy": "namespace:name", "image": "..."} from standard input and writes the new text as JSON.
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"

	"k8s.io/kube-openapi/pkg/validation/spec"
	"sigs.k8s.io/kustomize/kyaml/fieldmeta"
	"sigs.k8s.io/kustomize/kyaml/kio"
	"sigs.k8s.io/kustomize/kyaml/openapi"
	"sigs.k8s.io/kustomize/kyaml/setters2"
)

type task struct {
	Text   string `json:"text"`
	Policy string `json:"policy"`
	Image  string `json:"image"`
}

func main() {
	var given task
	fail(json.NewDecoder(os.Stdin).Decode(&given))
	fieldmeta.SetShortHandRef("$imagepolicy")
	openapi.SuppressBuiltInSchemaUse()

	definition := spec.StringProperty()
	definition.Extensions = spec.Extensions{
		setters2.K8sCliExtensionKey: map[string]any{
			"setter": map[string]string{"name": given.Policy, "value": given.Image},
		},
	}
	schema := &spec.Schema{SchemaProps: spec.SchemaProps{
		Definitions: spec.Definitions{fieldmeta.SetterDefinitionPrefix + given.Policy: *definition},
	}}

	var text bytes.Buffer
	fail(kio.Pipeline{
		Inputs:  []kio.Reader{&kio.ByteReader{Reader: bytes.NewBufferString(given.Text), PreserveSeqIndent: true}},
		Filters: []kio.Filter{kio.FilterAll(&setters2.Set{SetAll: true, SettersSchema: schema})},
		Outputs: []kio.Writer{kio.ByteWriter{Writer: &text}},
	}.Execute())
	fail(json.NewEncoder(os.Stdout).Encode(text.String()))
}

func fail(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
