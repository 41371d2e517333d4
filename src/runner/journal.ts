import { join } from 'node:path';
import * as v from 'valibot';
import type { Environment } from '../lib/environment.js';
import { AxeError } from '../lib/errors.js';
import { createFiles } from '../lib/files.js';
import { createQueue } from '../lib/queue.js';
import { encodeBytes } from '../lib/text/bytes.js';
import { readTextFile } from '../lib/user-files.js';
import type { Change } from '../memory/change.js';
import type { Journal } from '../run/dependencies.js';
import { CHECK_STATE, PENDING_STATE } from './runner.js';
import { keepState, writeRunnerFile } from './runner-file.js';

const TOLD = 'told';

const Edit = v.variant('kind', [
  v.object({
    kind: v.literal('append'),
    text: v.string(),
    dedup: v.boolean(),
    head: v.exactOptional(v.string()),
  }),
  v.object({ kind: v.literal('overwrite'), text: v.string() }),
  v.object({ kind: v.literal('delete') }),
]);

/** When it was put into the journal: it was saved after that, if it was. */
const SINCE = {
  again: v.pipe(
    v.string(),
    v.isoTimestamp(),
    v.transform((time) => new Date(time)),
  ),
};

const Pending = v.array(
  v.variant('kind', [
    v.object({ kind: v.literal('append'), path: v.string(), text: v.string(), id: v.string(), ...SINCE }),
    v.object({
      kind: v.literal('note'),
      path: v.string(),
      edit: Edit,
      backup: v.boolean(),
      makes: v.exactOptional(v.string()),
      id: v.string(),
      ...SINCE,
    }),
    v.object({ kind: v.literal('facts'), path: v.string(), text: v.string() }),
  ]),
);

export type KeptChange = Extract<Change, { readonly kind: 'append' | 'note' | 'facts' }>;

/**
 * Keeps the changes of a run in the runner's state file, where `post` finds them if `main` was killed (D16). Agents and
 * sub-agents keep theirs side by side, and a tainted run its two entries, which share an id; a change that comes again
 * with the same id for the same place takes that of the first, and so do the facts of a state, which have no id. What is too large for a state goes to a file in `temp`.
 */
export function createJournal(temp = '', now = () => new Date()): Journal {
  const open = new Map<string, Change>();
  const inTurn = createQueue();
  const write = () => inTurn(() => saveLargeState(PENDING_STATE, JSON.stringify([...open.values()]), temp));
  return {
    async pending(changes) {
      const again = now();
      for (const change of changes)
        if (isKept(change)) open.set(keyOf(change), change.kind === 'facts' ? change : { ...change, again });
      await write();
    },
    async done(changes) {
      for (const change of changes) if (isKept(change)) open.delete(keyOf(change));
      await write();
    },
  };
}

function isKept(change: Change): change is KeptChange {
  return change.kind === 'append' || change.kind === 'note' || change.kind === 'facts';
}

function keyOf(change: KeptChange): string {
  return change.kind === 'facts' ? change.path : `${change.path} ${change.id}`;
}

/** Notes that people know that the entry is not saved: `post` tries once more, but need not tell it again (D14). */
export async function noteReported(): Promise<void> {
  await keepState(TOLD, 'true');
}

/** Whether `main` came to tell that the entry is not saved. */
export function wasReported(env: Environment): boolean {
  return env[`STATE_${TOLD}`] === 'true';
}

/**
 * What `main` left unsaved, or was killed before it could say that it was saved. The runner gives a state back as
 * `STATE_<name>`; anything odd counts as nothing.
 */
export async function readPending(env: Environment): Promise<readonly KeptChange[]> {
  const parsed = v.safeParse(
    v.pipe(v.string(), v.parseJson(), Pending),
    await readLargeState(env, PENDING_STATE),
  );
  if (!parsed.success) return [];
  // A save is told by its first place, and that is the entry's.
  return parsed.output.toSorted((a, b) => Number(a.kind === 'facts') - Number(b.kind === 'facts'));
}

/**
 * Most bytes of a state that are handed to the post step as they are: the runner gives it a state as a variable of its
 * environment, and Linux starts no program with one of more than 128 KiB (execve(2)).
 */
const MAX_STATE_BYTES = 64 * 1024;

const Elsewhere = v.object({ file: v.string() });

/** Keeps a text for the post step: as a state, or if it is too large for one in a file of the runner's `temp` folder. */
async function saveLargeState(name: string, text: string, temp: string): Promise<void> {
  if (temp === '' || encodeBytes(text).length <= MAX_STATE_BYTES) {
    await keepState(name, text);
    return;
  }
  const file = join(temp, `axe-action-${name}-${process.pid}.json`);
  const isWritten = await writeRunnerFile('RUNNER_TEMP', () => createFiles().replace(file, text));
  if (isWritten) await keepState(name, JSON.stringify({ file }));
}

/** The text as it was kept; undefined where there is none, or where its file is gone. */
async function readLargeState(env: Environment, name: string): Promise<string | undefined> {
  const state = env[`STATE_${name}`];
  const elsewhere = v.safeParse(v.pipe(v.string(), v.parseJson(), Elsewhere), state);
  if (!elsewhere.success) return state;
  try {
    return await readTextFile(elsewhere.output.file, { what: 'state', remedy: '' });
  } catch (thrown) {
    if (thrown instanceof AxeError) return undefined;
    throw thrown;
  }
}

const Left = v.object({
  owner: v.string(),
  name: v.string(),
  headSha: v.string(),
  agent: v.string(),
});

/** A check that was begun, as the post step finds it if nobody has ended it. */
type LeftCheck = v.InferOutput<typeof Left>;

/** Notes that a check is about to be begun, and waits for its end; undefined: it has ended. */
export async function keepCheck(check: LeftCheck | undefined): Promise<void> {
  await keepState(CHECK_STATE, check === undefined ? '' : JSON.stringify(check));
}

/** The check that a killed main step left in progress; anything odd counts as none. */
export function readLeftCheck(env: Environment): LeftCheck | undefined {
  const parsed = v.safeParse(v.pipe(v.string(), v.parseJson(), Left), env[`STATE_${CHECK_STATE}`]);
  return parsed.success ? parsed.output : undefined;
}
