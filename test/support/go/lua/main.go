// Runs Lua as Argo CD does: on the same interpreter, with the same few libraries and the same limit of time. Reads
// [{"script": "...", "object": {...}}, ...] from standard input and writes [{"result": ..., "error": "..."}, ...].
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"time"

	lua "github.com/yuin/gopher-lua"
	luajson "layeh.com/gopher-json"
)

const limit = time.Second

type task struct {
	Script string         `json:"script"`
	Object map[string]any `json:"object"`
}

type answer struct {
	Result json.RawMessage `json:"result,omitempty"`
	Error  string          `json:"error,omitempty"`
}

func main() {
	var tasks []task
	if err := json.NewDecoder(os.Stdin).Decode(&tasks); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	answers := make([]answer, 0, len(tasks))
	for _, each := range tasks {
		result, err := run(each)
		if err != nil {
			answers = append(answers, answer{Error: err.Error()})
			continue
		}
		answers = append(answers, answer{Result: result})
	}
	if err := json.NewEncoder(os.Stdout).Encode(answers); err != nil {
		os.Exit(1)
	}
}

func run(each task) (json.RawMessage, error) {
	state := lua.NewState(lua.Options{SkipOpenLibs: true})
	defer state.Close()
	open(state)
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	state.SetContext(ctx)
	state.SetGlobal("obj", luajson.DecodeValue(state, map[string]any(each.Object)))
	if err := state.DoString(each.Script); err != nil {
		return nil, err
	}
	value := state.Get(-1)
	if value.Type() != lua.LTTable {
		return nil, fmt.Errorf("expected a table from the script, not %s", value.Type())
	}
	return luajson.Encode(value)
}

// open loads the libraries that Argo CD loads: neither string nor math, and of os only the functions for time.
func open(state *lua.LState) {
	libraries := []struct {
		name   string
		loader lua.LGFunction
	}{
		{lua.LoadLibName, lua.OpenPackage},
		{lua.BaseLibName, lua.OpenBase},
		{lua.TabLibName, lua.OpenTable},
		{lua.OsLibName, lua.OpenOs},
	}
	for _, library := range libraries {
		state.Push(state.NewFunction(library.loader))
		state.Push(lua.LString(library.name))
		state.Call(1, 0)
	}
	full := state.GetGlobal(lua.OsLibName).(*lua.LTable)
	safe := state.NewTable()
	for _, name := range []string{"time", "date"} {
		safe.RawSetString(name, full.RawGetString(name))
	}
	state.SetGlobal(lua.OsLibName, safe)
	state.PreloadModule(lua.OsLibName, func(inner *lua.LState) int {
		inner.Push(safe)
		return 1
	})
}
