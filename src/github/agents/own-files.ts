import { findBuiltInAgent } from '../../agent/built-in.js';
import { MAX_AGENT_BYTES } from '../../lib/defaults.js';
import type { OwnFiles } from '../../memory/gc/proposal.js';
import { type RefPlace, readFileAt, repositoryPath } from '../reading/contents.js';
import { agentPaths, parentOf, skillPaths } from './agent-library.js';

/** Whose files are wanted, and where they may stand. */
interface OwnFilesQuestion {
  readonly name: string;
  /** As the agent names it; empty for none. */
  readonly skill: string;
  /** In the order they are searched (D4). */
  readonly agentsDirs: readonly string[];
  /** The checkout's folder on the runner, which stands for the repository's root. */
  readonly workspace: string;
}

/**
 * The agent's TOML and its skill as a ref has them; undefined for an agent that is built in or not there. A skill that
 * lies elsewhere is left out. Throws an AxeError for what is no plain file, and a GitHubError.
 */
export async function readOwnFiles(
  place: RefPlace,
  { name, skill, agentsDirs, workspace }: OwnFilesQuestion,
  signal: AbortSignal,
): Promise<OwnFiles | undefined> {
  if (findBuiltInAgent(name) !== undefined) return undefined;
  const dirs = agentsDirs.map((dir) => repositoryPath(dir, workspace));
  for (const path of agentPaths(name, dirs, workspace)) {
    const toml = await readFileAt(place, { path, maxBytes: MAX_AGENT_BYTES }, signal);
    if (toml === undefined) continue;
    const texts = new Map([[path, toml]]);
    for (const candidate of skill === '' ? [] : skillPaths(skill, [parentOf(parentOf(path))])) {
      const text = await readFileAt(place, { path: candidate, maxBytes: MAX_AGENT_BYTES }, signal);
      if (text !== undefined) texts.set(candidate, text);
    }
    return { toml: path, texts };
  }
  return undefined;
}
