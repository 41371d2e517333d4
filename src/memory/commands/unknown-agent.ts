import { nearest } from '../../core/agent/suggest.js';
import { isNotesPath } from '../notes/place.js';
import { isStatePath } from '../state.js';
import { logsOf, type MemoryRefusal, type MemoryView, refusal } from './command-session.js';

/** An agent that is asked about and whose file is not here. */
export interface UnknownAgent {
  readonly name: string;
  /** Names of the agents that are here. */
  readonly known: readonly string[];
  /** The memory is in another place, whose agents may be elsewhere too. */
  readonly isElsewhere: boolean;
}

const MAX_NAMED = 10;

/** Why there is nothing to see: the name is nobody's. A memory outlives its agent, and an empty one may be new. */
export function refuseUnknown(
  view: MemoryView,
  unknown: UnknownAgent | undefined,
): MemoryRefusal | undefined {
  if (unknown === undefined) return undefined;
  const { name, known, isElsewhere } = unknown;
  // What a trial without a model left lies apart (D32).
  const isRemembered =
    logsOf(view).some(({ exists }) => exists) || view.tree.has(`offline/${view.trusted.path}`);
  if (known.includes(name) || isRemembered) return undefined;
  const names = [...new Set([...loggedIn(view), ...known])];
  const meant = nearest(name, names);
  if (isElsewhere && meant === undefined && loggedIn(view).length === 0) return undefined;
  const message = `there is no agent "${name}", and ${view.location} holds no memory of that name`;
  return refusal('not-found', message, meant === undefined ? listed(names) : `Did you mean \`${meant}\`?`);
}

/** Names of the run logs that are there. */
function loggedIn({ tree }: MemoryView): readonly string[] {
  return [...tree.keys()].flatMap((path) => {
    const isLog = /^[^/]+\.md$/.test(path) && !isStatePath(path) && !isNotesPath(path);
    return isLog ? [path.slice(0, -'.md'.length)] : [];
  });
}

function listed(names: readonly string[]): string {
  const shown = names.slice(0, MAX_NAMED).map((name) => `\`${name}\``);
  const more = names.length > MAX_NAMED ? ` and ${names.length - MAX_NAMED} more` : '';
  return `Give one of ${shown.join(', ')}${more}.`;
}
