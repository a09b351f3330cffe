/** Physical reasons why the operator cannot know better. Each excuse is as narrow as its reason. */
export const EXCUSES = {
  'edited after the last look':
    'the service offers no concurrency control (N16): the operator cannot see an edit between the look of a decision and the arrival of the request',
  'no look has shown it':
    'lists lag, leave fields out or show them in another form: no later answer shows the edit',
  'only answers have shown it':
    'lists never show the field, and an answer shows only one earlier moment: when a later request leaves the field out, its value at the service is unknown',
  'a list lags beyond the window':
    'a list shows the state before a change, even of our write after the consistency window (N30), and nothing in it shows its age',
  'taken away while a write left it out':
    'a person removes a value, and no look shows that before a request that leaves the value out: the answer and every later list lack it, as if the service had emptied it',
  'the answer shows it as kept':
    'the answer to a request shows a value as kept that the service emptied or never took (N14): if a later list differs, somebody else may have changed the value',
  'somebody else did the same':
    'no answer shows the effect of a request on a block, and a list with a lag shows what somebody else did just before it, with everything else kept: the same values, which they set or had not yet changed, or a revision if lists show no values',
  'secrets are masked':
    'no answer shows the value of a secret, or that there is one: the operator cannot see changes by other people, nor that a request changed it, and sends an unproven value once more',
  'values are not compared yet':
    'another value may be a mask (N37) until a process has sent a secret that was not shown before and that the service then shows as it was sent: a new process compares only names, unless an earlier one has recorded that proof and a list still shows a value of the deployment as sent',
  'all secrets were edited at once':
    'somebody changes every secret that a deployment shows between two lists, and no new revision tells of it: a service that begins to mask values in an unknown form looks the same (N37)',
  'the outcome was unknown':
    'no answer came and no read could prove the write, or the answer does not show what it left out: the operator sends it once more (3.3)',
  'announced by a process that died':
    'a process can die after it announced a write and before it sent it: the announcement counts, and no request shows it',
  'edited while a write took shape':
    'until the first list after its window, the service may round or resolve the value of a write late, and an edit of a person looks the same',
  'a commit stands for the branch':
    'lists show a branch as its resolved commit (N36): another branch looks like the next commit of the same one',
  'lists leave out what they showed':
    'complete lists leave out an existing deployment: one that they showed before, one window apart or after the service accepted its deletion, or one that a request made without an answer, or with an answer to an earlier process, after its window. They look the same if it is gone or was never made (N8)',
  'another address is another service':
    'a connection with another address may lead to another service, which has its own names',
  'a refusal does not say what it refuses':
    'the service documents no error (section 7): every refusal of a request that only empties a field looks the same',
  'a field that never changes is not emptied either':
    'the service never changes a field, whatever a request contains or leaves out: if nothing else was left out, it looks as if the service kept omissions',
  'an empty list names no tenant':
    'a credential of a tenant without deployments shows nothing, and so does its own tenant after the last deployment is gone',
  'no look shows the value as it is kept':
    'lists leave the field out, round it, resolve it or lag beyond the window, so a declared or repeated value cannot be compared with the stored one',
} as const;

/** The name of an excuse. */
export type ExcuseName = keyof typeof EXCUSES;

/** An objection of a rule. With an excuse it is only counted. */
export interface Finding {
  readonly rule: string;
  readonly atMs: number;
  readonly text: string;
  readonly excuse?: ExcuseName | undefined;
}
