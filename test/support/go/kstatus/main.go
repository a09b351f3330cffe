// Asks the kstatus library, by which Flux, Helm and others wait, how resources are. Reads [{...}, ...] from standard
// input and writes ["Current", ...].
package main

import (
	"encoding/json"
	"fmt"
	"os"

	"github.com/fluxcd/cli-utils/pkg/kstatus/status"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
)

func main() {
	var resources []json.RawMessage
	fail(json.NewDecoder(os.Stdin).Decode(&resources))
	verdicts := make([]status.Status, 0, len(resources))
	for _, each := range resources {
		// The Kubernetes decoder turns whole numbers into integers, as the library expects.
		decoded, err := runtime.Decode(unstructured.UnstructuredJSONScheme, each)
		fail(err)
		result, err := status.Compute(decoded.(*unstructured.Unstructured))
		fail(err)
		verdicts = append(verdicts, result.Status)
	}
	fail(json.NewEncoder(os.Stdout).Encode(verdicts))
}

func fail(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
