import { encodeField } from '../../field.js';
import { isNotesPath } from '../../notes/place.js';

export interface CommitCause {
  /** As GitHub writes it: `pull_request`. */
  readonly event: string;
  /** Of the issue or pull request that the run is about. */
  readonly number: number | undefined;
  /** Address of the run; empty where there is none. */
  readonly runUrl: string;
}

const MAX_NAMED = 5;
const MAX_NAME_CHARACTERS = 64;

/**
 * The message of a commit that writes these files of the tree: whose memory it is and which run wrote it, nothing of what
 * it says. Pushes with an app's token start workflows, hence the `[skip ci]`. The number has no `#`: GitHub would show
 * each commit in the conversation of that number, in another repository in somebody else's. `ids` are those of the changes
 * that it saves: whoever got no answer finds them in the history.
 */
export function commitMessage(paths: readonly string[], ids: readonly string[], cause?: CommitCause): string {
  const names = [...new Set(paths.filter((path) => /\.(?:md|bak)$/.test(path)).map(agentOf))];
  const more = names.length > MAX_NAMED ? ` and ${names.length - MAX_NAMED} more` : '';
  const whose = names.length === 0 ? '' : ` of ${names.slice(0, MAX_NAMED).join(', ')}${more}`;
  const subject = `Update memory${whose}${whatFor(cause)} [skip ci]`;
  const run = cause === undefined || cause.runUrl === '' ? [] : [`Run: ${cause.runUrl}`];
  return withTrailers(subject, [...run, ...savedLines(ids)]);
}

export function withTrailers(subject: string, lines: readonly string[]): string {
  return lines.length === 0 ? subject : `${subject}\n\n${lines.join('\n')}`;
}

export function savedLines(ids: readonly string[]): readonly string[] {
  return ids.map((id) => `Axe-Save: ${encodeField(id)}`);
}

function whatFor(cause: CommitCause | undefined): string {
  if (cause === undefined) return '';
  const { event, number } = cause;
  return ` (${event}${number === undefined ? '' : ` ${number}`})`;
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
