import type { Change } from '../axe/memory/change.js';
import { withoutEntries } from '../axe/memory/merge.js';
import { forgottenIds, statePath } from '../axe/memory/state.js';
import type { MemoryTree } from '../axe/memory/tree.js';
import { parseLog } from '../axe/memory/units.js';
import { untrustedPath } from '../axe/plan.js';

const UNTRUSTED = untrustedPath('');

/** Run logs in both lanes of the agents that these run logs, states and backups are of, each once. */
export function bothLanes(paths: readonly string[]): readonly string[] {
  const trusted = paths.map((path) => {
    const log = path.replace(/\.md\.bak$|\.state\.md$/, '.md');
    return log.startsWith(UNTRUSTED) ? log.slice(UNTRUSTED.length) : log;
  });
  return [...new Set(trusted)].flatMap((path) => [path, untrustedPath(path)]);
}

/**
 * The changes that bring what another place holds of the agents' files to the newest version (D14); none for what it
 * does not hold. States go first, so that nothing forgotten comes along. What the run is about to append itself is left
 * out: without provenance it has another id in the other place.
 */
export function foldChanges(tree: MemoryTree, changes: readonly Change[]): readonly Change[] {
  return bothLanes(changes.map(({ path }) => path)).flatMap((path): readonly Change[] => {
    const state = tree.get(statePath(path)) ?? '';
    const text = withoutEntries(tree.get(path) ?? '', appendedIds(changes, path));
    const log = { kind: 'merge', path, text } as const;
    if (state === '') return text === '' ? [] : [log];
    const facts = { kind: 'merge', path: statePath(path), text: state } as const;
    return text === '' && forgottenIds(state).size === 0 ? [facts] : [facts, log];
  });
}

function appendedIds(changes: readonly Change[], path: string): ReadonlySet<string> {
  return new Set(
    changes.flatMap((change) => {
      if (change.kind !== 'append' || change.path !== path) return [];
      return [change.id, ...parseLog(change.text).units.map(({ id }) => id)];
    }),
  );
}
