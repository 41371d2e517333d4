import type { AgentPlace, AgentText, SourceText } from '../../../core/agent/agent-source.js';
import { BUILT_IN_PREFIX, findBuiltInAgent } from '../../../core/agent/built-in.js';
import { decodeAgent } from '../../../core/agent/decode.js';
import { MAX_AGENT_BYTES } from '../../../core/defaults.js';
import { ConfigError } from '../../../core/errors.js';
import { compareBytes } from '../../../core/text/bytes.js';
import { selectPaths } from '../../../core/text/glob.js';
import { isSecretPath } from '../../../core/tools/files/path-rules.js';
import { listFolderAt, locationOf, type RefPlace, readPathAt, repositoryPath } from '../reading/contents.js';
import {
  agentPaths,
  type GitHubAgentLibraryOptions,
  missingAtRef,
  missingSkill,
  parentOf,
  skillPaths,
} from './agent-library.js';
import { fetchTree, isFile } from './context-files.js';

/** The agent files of a commit, read by API and never run, and the built-in ones. */
export function createRefSource(options: GitHubAgentLibraryOptions): SourceText {
  const { signal, workspace } = options;
  const dirs = options.agentsDirs.map((dir) => repositoryPath(dir, workspace));
  let tree: ReturnType<typeof fetchTree> | undefined;
  let listed: Promise<readonly AgentPlace[]> | undefined;

  function list(): Promise<readonly AgentPlace[]> {
    listed ??= listAgents(options, dirs);
    return listed;
  }

  return {
    where: locationOf(options, '').slice(0, -1),
    folders: dirs,
    list,
    async read(name) {
      const builtIn = findBuiltInAgent(name);
      const noSkill = (path: string) => Promise.reject(missingSkill(path, [], options));
      if (builtIn !== undefined) return { name, file: name, text: builtIn.toml, loadSkill: noSkill };
      if (name.startsWith(BUILT_IN_PREFIX)) throw await missingAtRef(name, dirs, options);
      refuseTwins(name, await list());
      return await readAgent(name, dirs, options);
    },
    async countPaths(pattern, workdir) {
      const folder = repositoryPath(workdir, workspace);
      const prefix = folder === '' ? '' : `${folder}/`;
      // A malformed pattern is told even where nothing can be listed.
      selectPaths([pattern], []);
      tree ??= fetchTree(options, signal);
      const { tree: entries, truncated } = await tree;
      const paths = entries
        .filter(
          ({ path, ...entry }) => isFile(entry) && path.startsWith(prefix) && !isSecretPath(path.split('/')),
        )
        .map(({ path }) => path.slice(prefix.length));
      const { length } = selectPaths([pattern], paths);
      return length === 0 && truncated ? undefined : length;
    },
  };
}

async function listAgents(
  { signal, ...place }: GitHubAgentLibraryOptions,
  dirs: readonly string[],
): Promise<readonly AgentPlace[]> {
  const listed = new Map<string, AgentPlace>();
  for (const dir of dirs) {
    const files = (await listFolderAt(place, dir, signal)).filter((file) => file.endsWith('.toml'));
    for (const file of files.toSorted(compareBytes)) {
      const name = file.slice(0, -'.toml'.length);
      if (!listed.has(name)) listed.set(name, { name, file: dir === '' ? file : `${dir}/${file}` });
    }
  }
  return [...listed.values()];
}

/** Two files of one folder that differ only in case (D5). Throws a ConfigError. */
function refuseTwins(name: string, places: readonly AgentPlace[]): void {
  const own = places.find((place) => place.name === name);
  if (own === undefined) return;
  const twin = places.find(({ file }) => file !== own.file && file.toLowerCase() === own.file.toLowerCase());
  if (twin === undefined) return;
  throw new ConfigError(`agents "${name}" and "${twin.name}" in ${parentOf(own.file)} differ only in case`, {
    at: { file: own.file },
    remedy: 'Rename one of the two: some file systems, and their memory, treat the two as one.',
  });
}

async function readAgent(
  name: string,
  dirs: readonly string[],
  options: GitHubAgentLibraryOptions,
): Promise<AgentText> {
  for (const path of agentPaths(name, dirs, options.workspace)) {
    const found = await readPathAt(options, { path, maxBytes: MAX_AGENT_BYTES }, options.signal);
    if (found.kind === 'missing') continue;
    if (found.kind !== 'file') {
      const reason = found.kind === 'folder' ? 'it is a folder' : found.reason;
      throw new ConfigError(`failed to read agent config "${name}": ${reason}`, { at: { file: path } });
    }
    const roots = [parentOf(parentOf(path)), ...dirs.map(parentOf)];
    return {
      name,
      file: path,
      text: decodeAgent(found.bytes, { name, file: path }),
      loadSkill: (skill) => readSkill(skill, roots, options),
    };
  }
  throw await missingAtRef(name, dirs, options);
}

/** Far more than a skill is. */
const MAX_SKILL_BYTES = 1024 * 1024;

async function readSkill(
  skill: string,
  roots: readonly string[],
  { signal, ...place }: RefPlace & { readonly signal: AbortSignal },
): Promise<string> {
  const paths = skillPaths(skill, roots);
  for (const path of paths) {
    const found = await readPathAt(place, { path, maxBytes: MAX_SKILL_BYTES }, signal);
    if (found.kind === 'file') return new TextDecoder().decode(found.bytes);
    if (found.kind === 'missing') continue;
    const reason = found.kind === 'folder' ? 'it is a folder' : found.reason;
    throw new ConfigError(`cannot read ${locationOf(place, path)}: ${reason}`, {
      remedy: 'Name the file: `…/SKILL.md`.',
    });
  }
  throw missingSkill(skill, paths, place);
}
