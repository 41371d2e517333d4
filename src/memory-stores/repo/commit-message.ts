import { isNotesPath } from '../../axe/memory/notes/place.js';

const MAX_NAMED = 5;
const MAX_NAME_CHARACTERS = 64;

/**
 * The message of a commit that writes these files of the tree: whose memory it is, nothing of what it says. Pushes with
 * an app's token start workflows, hence the `[skip ci]`.
 */
export function commitMessage(paths: readonly string[]): string {
  const names = [...new Set(paths.map(agentOf))];
  const more = names.length > MAX_NAMED ? ` and ${names.length - MAX_NAMED} more` : '';
  return `Update memory of ${names.slice(0, MAX_NAMED).join(', ')}${more} [skip ci]`;
}

/** `untrusted/pr-reviewer.state.md` → `pr-reviewer`. Paths are people's; only what a name is made of is kept. */
function agentOf(path: string): string {
  const file = path.replace(/(?:(\.md)\.bak|\.bak|\.state\.md)$/, '.md');
  if (isNotesPath(file)) return 'notes';
  return path
    .replace(/\.bak$/, '')
    .replace(/(?:\.state)?\.md$/, '')
    .replace(/(^|\/)untrusted\//, '$1')
    .replace(/[^A-Za-z0-9._/-]+/g, '-')
    .slice(0, MAX_NAME_CHARACTERS);
}
