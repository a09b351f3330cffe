/** A reason of physics why the operator cannot know better; each is as narrow as that reason. */
export const EXCUSES = {
  'edited after the last look':
    'the service offers no concurrency control (N16): an edit between the look that a request was decided on and its arrival cannot be seen',
  'no look has shown it':
    'lists lag, leave fields out or show them otherwise: no answer that arrived since shows the edit',
  'only answers have shown it':
    'lists never show the field, and an answer shows one moment long ago: what others keep there now is unknown when a later request leaves it out',
  'a list lags beyond the window':
    'a list shows the state before a change, after a write of ours even when the consistency window (N30) is over, and nothing in it tells its age',
  'taken away while a write left it out':
    'a person takes a value away, and no look shows that before a request that leaves it out: the answer to it and every list since lack it, as they would where the service emptied it',
  'the answer shows it as kept':
    'the answer to a request shows as kept what the service emptied or never took (N14): what a later list shows otherwise somebody else may have changed',
  'somebody else did the same':
    'no answer tells of what a request did to a block, and a list that lags shows what somebody else did just before it, with everything else kept: the same values, or a revision where lists show no values',
  'secrets are masked':
    'no answer shows the value of a secret, or that there is one, so what others make of it cannot be seen, nor that a request took it along, and an unproven one is sent once more',
  'values are not compared yet':
    'until a process has sent a secret that was not shown before and came back as it was sent, another value may be a mask (N37): a new process compares names alone',
  'the outcome was unknown': 'no answer came and no read could prove the write: it is sent once more (3.3)',
  'announced by a process that died':
    'a process can die after it announced a write and before it sent it: the announcement counts, and no request shows it',
  'edited while a write took shape':
    'until the first list after its window what a write asked for may be rounded or resolved late, and an edit of a person looks the same',
  'a commit stands for the branch':
    'lists show a branch as the commit that it was resolved to (N36): another branch looks like the next commit of the same one',
  'lists leave out what they showed':
    'complete lists leave out a deployment that is there: one that they showed before, one window apart or after the service accepted its deletion, or one that a request made without an answer, or with one to an earlier process, after its window. So they do when it is gone, or was never made (N8)',
  'another address is another service':
    'a connection that points to another address may lead to another service, which has names of its own',
  'a refusal does not say what it refuses':
    'the service describes no error (section 7): a refusal of a request that only empties a field looks the same whatever it is for',
  'a field that never changes is not emptied either':
    'the service keeps a field as it is, whatever a request carries or leaves out: where nothing else was left out, that it stays looks as if omissions were kept',
  'an empty list names no tenant':
    'a credential of a tenant that has no deployments shows nothing, as its own tenant does once what was there is gone',
  'no look shows the value as it is kept':
    'lists leave the field out, round it, resolve it or lag beyond the window, so what is declared cannot be compared with what is kept',
} as const;

/** The name of an excuse. */
export type ExcuseName = keyof typeof EXCUSES;

/** Something that a rule of the oracle objects to; with an excuse it is counted instead. */
export interface Finding {
  readonly rule: string;
  readonly atMs: number;
  readonly text: string;
  readonly excuse?: ExcuseName | undefined;
}
