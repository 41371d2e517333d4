import * as v from 'valibot';
import type { Change } from '../axe/memory/change.js';
import type { Journal } from '../axe/ports.js';
import { loadToolkit } from './toolkit.js';

const STATE = 'pending';
const TOLD = 'told';

type Environment = Readonly<Record<string, string | undefined>>;

const Pending = v.array(
  v.object({ kind: v.literal('append'), path: v.string(), text: v.string(), id: v.string() }),
);

/**
 * Keeps the changes of a run in the runner's state file, where `post` finds them if `main` was killed (D16). Agents and
 * sub-agents keep theirs side by side, and a tainted run its two entries, which share an id; a change that comes again
 * with the same id for the same place takes that of the first.
 */
export function createJournal(): Journal {
  const open = new Map<string, Change>();
  const write = async () => {
    const { saveState } = await loadToolkit();
    saveState(STATE, JSON.stringify([...open.values()]));
  };
  return {
    async pending(changes) {
      for (const change of changes) if (change.kind === 'append') open.set(keyOf(change), change);
      await write();
    },
    async done(changes) {
      for (const change of changes) if (change.kind === 'append') open.delete(keyOf(change));
      await write();
    },
  };
}

function keyOf({ path, id }: Change & { readonly id: string }): string {
  return `${path} ${id}`;
}

/** Notes that people know that the entry is not saved: `post` tries once more, but need not tell it again (D14). */
export async function noteTold(): Promise<void> {
  const { saveState } = await loadToolkit();
  saveState(TOLD, 'true');
}

/** Whether `main` came to tell that the entry is not saved. */
export function wasTold(env: Environment): boolean {
  return env[`STATE_${TOLD}`] === 'true';
}

/** What `main` left unsaved. The runner gives a state back as `STATE_<name>`; anything odd counts as nothing. */
export function readPending(env: Environment): readonly Extract<Change, { readonly kind: 'append' }>[] {
  const parsed = v.safeParse(v.pipe(v.string(), v.parseJson(), Pending), env[`STATE_${STATE}`]);
  return parsed.success ? parsed.output : [];
}
