/** What the program is for, as its help says. */
export const PROGRAM_HELP =
  'Keeps deployments of the Deployment Management Service equal to what is declared in Kubernetes resources, or in a folder of the same manifests.';

/** Command lines with what they are for, one below the other, as help shows them. */
export function examples(rows: readonly (readonly [words: string, what: string])[]): string {
  const width = Math.max(...rows.map(([words]) => words.length));
  return `\nExamples:\n${rows.map(([words, what]) => `  ${words.padEnd(width)}  # ${what}`).join('\n')}\n`;
}

/** Text below the commands in the help of the program. */
export function programExamples(program: string): string {
  return `${examples([
    [`${program} demo`, 'see it work, in half a minute'],
    [`${program} validate -f manifests/`, 'check manifests, for instance in a pull request'],
    [`${program} plan -f manifests/`, 'see what would be sent, and send nothing'],
    [`${program} apply -f manifests/ --wait`, 'send it, and wait until it serves'],
    [`${program} import -f connection.yaml --all`, 'write manifests for what exists'],
    [`${program} crds | kubectl apply -f -`, 'make the kinds known to a cluster'],
    [`${program} run`, 'be the controller, in a cluster'],
    [`${program} run --dir manifests/`, 'be the controller, without a cluster'],
  ])}
Each flag has a variable: --log-level is DMS_OPERATOR_LOG_LEVEL, lists are separated by commas. Flags win.
Exit codes: 0 done, 1 something is wrong, 2 a plan has changes, 3 not finished in time, 64 the command line cannot be
meant, 130 Ctrl-C.
Errors in manifests read "file:line:column: path: what is wrong; what is expected".
`;
}
