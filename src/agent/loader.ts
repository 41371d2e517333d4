import { basename, dirname, isAbsolute } from 'node:path';
import { MAX_AGENT_BYTES, MAX_CONTEXT_BYTES } from '../lib/defaults.js';
import { AxeError, ConfigError, NotFoundError } from '../lib/errors.js';
import { isSecretPath } from '../safety/path-rules.js';
import type {
  AgentHome,
  AgentLibrary,
  AgentPlace,
  AgentReader,
  FoundFile,
  LoadedAgent,
} from './agent-source.js';
import { BUILT_IN_AGENTS, BUILT_IN_PREFIX, findBuiltInAgent } from './built-in.js';
import type { ContextFile } from './context-files.js';
import { parseAgent, parseError } from './inspect.js';
import { byNearness, closestWord } from './suggest.js';

/** An agent's file before it is parsed. */
export interface AgentFile {
  /** The requested name. */
  readonly name: string;
  /** The path for people and annotations. */
  readonly file: string;
  /** The path with repository and ref; `built-in` for our own agents. */
  readonly source: string;
  readonly text: string;
  readonly home?: AgentHome;
}

export interface AgentLoader extends AgentLibrary {
  /** The folders in the order in which they are searched. */
  readonly folders: readonly string[];
  /** Takes a name or a path that ends in `.toml`; built-in agents too. Throws a ConfigError. */
  openAgent(name: string): Promise<AgentFile>;
  /** The file that is loaded for each name, without the built-in agents. */
  listFiles(): Promise<readonly Pick<AgentFile, 'name' | 'file'>[]>;
  /** The agents of {@link listFiles} with their descriptions. */
  listAgents(): Promise<readonly ListedAgent[]>;
  findSkill(
    path: string,
    agent?: { readonly home?: AgentHome },
  ): Promise<{ readonly path: string; readonly text: string }>;
  /** {@link AgentReader.count} of the first place. */
  countFiles(pattern: string, workdir: string): Promise<number | undefined>;
}

export interface ListedAgent {
  /** The name of the agent's file. */
  readonly id: string;
  readonly description: string;
  readonly file: string;
  /** Set if the agent cannot be used. */
  readonly error: AxeError | undefined;
}

const EXTENSION = '.toml';

type Places = readonly [AgentPlace, ...AgentPlace[]];

/**
 * Searches several places for agents, one after the other. Skills and context files come from the
 * agent's place. `openShared` opens another repository, whose agents replace all others except the
 * built-in ones; context files never come from there.
 */
export function createAgentLoader(
  ownPlaces: Places,
  openShared?: () => Promise<AgentPlace>,
): AgentLoader {
  const [first] = ownPlaces;
  const openPlaces = async (): Promise<Places> =>
    openShared === undefined ? ownPlaces : [await openShared()];

  async function openAgent(name: string): Promise<AgentFile> {
    const builtIn = findBuiltInAgent(name);
    if (builtIn !== undefined) return { name, file: name, source: 'built-in', text: builtIn.toml };

    const places = await openPlaces();
    const isBuiltIn = name.startsWith(BUILT_IN_PREFIX) && !name.endsWith(EXTENSION);
    for (const place of isBuiltIn ? [] : places) {
      const agentFile = await findAgent(name, place);
      if (agentFile !== undefined) return agentFile;
    }
    throw await missingAgent(name, places);
  }

  const findSkill: AgentLoader['findSkill'] = async (path, agent) => {
    const homes = agent === undefined ? (await openPlaces()).flatMap(homesIn) : homesOf(agent.home);
    const isName = !/[\\/]/.test(path) && !path.endsWith('.md');
    const skillPath = isName ? `skills/${path}/SKILL.md` : path;

    const tried: string[] = [];
    for (const { place, parent } of homes) {
      const { reader } = place;
      const file = reader.resolve(skillPath, parent);
      const folder = isAbsolute(path) ? undefined : parent;
      const content = await reader.read(file, { maxBytes: MAX_CONTEXT_BYTES, folder });
      if (content.kind !== 'missing') return { path: file, text: skillText(content) };
      tried.push(reader.show(file));
    }

    const others = tried.slice(0, -1).map((file) => `\`${file}\``);
    throw new NotFoundError('skill', tried.at(-1) ?? path, {
      remedy: `Check the path${others.length === 0 ? '' : `; it is not at ${others.join(' or ')} either`}.`,
    });
  };

  async function loadAgent(name: string): Promise<LoadedAgent> {
    const { file, source, text, home } = await openAgent(name);
    return { name, ...parseAgent(text, { name, file }), source, home };
  }

  /** Files for an agent come from its place, unless that is another repository. */
  function placesFor(agent: LoadedAgent | undefined): readonly AgentPlace[] {
    const place = agent?.home?.place;
    return place !== undefined && place.repository === undefined ? [place] : ownPlaces;
  }

  async function listFiles(): ReturnType<AgentLoader['listFiles']> {
    const files = new Map<string, string>();
    for (const { reader, folders } of await openPlaces()) {
      for (const folder of folders) {
        for (const name of await agentsIn(reader, folder)) {
          if (!files.has(name))
            files.set(name, reader.file(reader.resolve(name + EXTENSION, folder)));
        }
      }
    }
    return [...files].map(([name, file]) => ({ name, file }));
  }

  return {
    folders: first.folders.map((folder) => first.reader.file(folder)),
    openAgent,
    findSkill,
    loadAgent,
    loadSkill: async (path, agent) => (await findSkill(path, agent)).text,
    async loadContextFiles(patterns, workdir, agent) {
      if (patterns.length === 0) return { files: [], warnings: [] };

      let matches: Awaited<ReturnType<AgentReader['find']>> = { files: [], warnings: [] };
      for (const { reader } of placesFor(agent)) {
        if (matches.files.length === 0) matches = await reader.find(patterns, workdir);
      }
      return matches;
    },
    async loadGuidance(paths, agent) {
      let texts: readonly ContextFile[] = [];
      for (const { reader } of placesFor(agent)) {
        // If the base is read from GitHub, the files of this machine can be the head's.
        const isBase = first.reader.isLocal || !reader.isLocal;
        if (texts.length === 0 && isBase) texts = await reader.texts(paths);
      }
      return texts;
    },
    listFiles,
    async listAgents() {
      const listed: ListedAgent[] = [];
      for (const { name: id, file } of await listFiles()) {
        try {
          const { description } = (await loadAgent(id)).config;
          listed.push({ id, description, file, error: undefined });
        } catch (thrown) {
          if (!(thrown instanceof AxeError)) throw thrown;
          listed.push({ id, description: '', file, error: thrown });
        }
      }
      return listed;
    },
    countFiles: (pattern, workdir) => first.reader.count(pattern, workdir),
  };
}

/** Throws a ConfigError for an invalid name, and for a file that cannot be read. */
async function findAgent(name: string, place: AgentPlace): Promise<AgentFile | undefined> {
  const { reader, folders } = place;
  const isPath = name.endsWith(EXTENSION);
  if (!isPath) checkAgentName(name);
  const paths = isPath
    ? [reader.resolve(name)]
    : folders.map((folder) => reader.resolve(name + EXTENSION, folder));
  if (isPath) checkAgentName(basename(name, EXTENSION));

  const contents = await Promise.all(
    paths.map((path) => reader.read(path, { maxBytes: MAX_AGENT_BYTES })),
  );
  for (const [index, path] of paths.entries()) {
    const content = contents[index];
    if (content === undefined || content.kind === 'missing') continue;
    if (reader.isLocal && !isPath && !(await isOnlyOne(path, reader))) continue;

    const file = reader.file(path);
    const text = agentText(content, { name, file });
    return {
      name,
      file,
      source: reader.show(path),
      text,
      home: { place, parent: dirname(dirname(path)) },
    };
  }
  return undefined;
}

function agentText(
  content: Exclude<FoundFile, { kind: 'missing' }>,
  source: { readonly name: string; readonly file: string },
): string {
  if (content.kind === 'refused') {
    throw new ConfigError(`failed to read agent config "${source.name}": ${content.reason}`, {
      at: { file: source.file },
      remedy:
        'An agent is a small text file. In a workflow it lies in the repository, and so do its links.',
    });
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(content.bytes);
  } catch {
    throw parseError(source, 'invalid UTF-8', 'Save the file as UTF-8, not as UTF-16 or Latin-1.');
  }
}

/**
 * True if the file's name has the same case. Throws a ConfigError for agents whose names differ
 * only in case.
 */
async function isOnlyOne(path: string, reader: AgentReader): Promise<boolean> {
  const folder = dirname(path);
  const name = basename(path, EXTENSION);
  const names = await agentsIn(reader, folder);
  if (!names.includes(name)) return false;

  const twin = names.find(
    (candidate) => candidate !== name && candidate.toLowerCase() === name.toLowerCase(),
  );
  if (twin === undefined) return true;
  throw sameNameError(name, twin, reader.file(folder));
}

export function sameNameError(name: string, twin: string, folder: string): ConfigError {
  return new ConfigError(`agents "${name}" and "${twin}" in ${folder} differ only in case`, {
    remedy:
      'Rename one of them: some file systems treat both names as one, and so would their memory.',
  });
}

async function agentsIn(reader: AgentReader, folder: string): Promise<readonly string[]> {
  const files = (await reader.list(folder)).filter((file) => file.endsWith(EXTENSION));
  return files.map((file) => file.slice(0, -EXTENSION.length));
}

const RESERVED = new Set(['memory', 'apart', 'projects', 'scratchpad']);

/**
 * The name becomes a file name and a part of cache keys, so it must not lead out of its folder.
 * Throws a ConfigError.
 */
export function checkAgentName(name: string): string {
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(name)) {
    const remedy =
      'A name starts with a letter or digit of ASCII and holds at most 64 of them, dots, underscores and hyphens.';
    throw new ConfigError(`invalid agent name ${JSON.stringify(name)}`, { remedy });
  }
  if (RESERVED.has(name.toLowerCase()) || /^\d{4}-\d{2}-\d{2}$|\.state$/i.test(name)) {
    throw new ConfigError(`agent name "${name}" is reserved`, {
      remedy: 'Memory keeps files of its own under that name; rename the agent file.',
    });
  }
  return name;
}

/** A message names at most this many agents, the most similar ones first. */
const MAX_NAMED = 20;

/** The error names the existing agents, so that people notice a typing mistake. */
async function missingAgent(name: string, places: Places): Promise<NotFoundError> {
  const fromPlaces = await Promise.all(
    places.flatMap(({ reader, folders }) => folders.map((folder) => agentsIn(reader, folder))),
  );
  const builtIn = BUILT_IN_AGENTS.map((agent) => agent.name);
  const names = [...new Set([...fromPlaces.flat(), ...builtIn])];

  const suggestion = meantAgent(name, names);
  const listed = byNearness(name, names).slice(0, MAX_NAMED);
  const unlisted = names.length - listed.length;
  const searched = places.map(({ reader, folders }) => reader.describeFolders(folders));
  const remedy = [
    suggestion === undefined ? '' : `Did you mean \`${suggestion}\`? `,
    `There are: ${listed.map((agent) => `\`${agent}\``).join(', ')}`,
    unlisted === 0 ? '. ' : ` and ${unlisted} more. `,
    `Searched in ${searched.join(' and in ')}.`,
  ];
  return new NotFoundError('agent', name, { remedy: remedy.join('') });
}

/** The agent that a name is likely to mean: without `.toml`, and with or without `builtin/`. */
function meantAgent(name: string, names: readonly string[]): string | undefined {
  const bare = basename(name, EXTENSION);
  const bareNames = names.map((known) => known.replace(BUILT_IN_PREFIX, ''));
  const nearest = closestWord(bare, bareNames);
  return nearest === undefined ? closestWord(name, names) : names[bareNames.indexOf(nearest)];
}

/**
 * The places that are searched for an agent's skill. A repository cannot supply a skill for an
 * agent of the user.
 */
function homesOf(home: AgentHome | undefined): readonly AgentHome[] {
  if (home === undefined) return [];
  const { place, parent } = home;
  const { configDir } = place;
  return configDir === undefined || configDir === parent
    ? [home]
    : [home, { place, parent: configDir }];
}

/**
 * The places that are searched for a skill that no agent names. The configuration folder is among
 * them, since it is above the last of the folders.
 */
function homesIn(place: AgentPlace): readonly AgentHome[] {
  return [...new Set(place.folders.map((folder) => dirname(folder)))].map((parent) => ({
    place,
    parent,
  }));
}

function skillText(content: Exclude<FoundFile, { kind: 'missing' }>): string {
  const reason = content.kind === 'refused' ? content.reason : outOfBoundsReason(content);
  if (content.kind === 'file' && reason === undefined)
    return new TextDecoder('utf-8', { ignoreBOM: true }).decode(content.bytes);

  throw new ConfigError(`failed to read skill: ${reason}`, {
    remedy:
      'A skill is a short text file next to the agents, for example `axe/skills/review/SKILL.md`.',
  });
}

/**
 * Memory, with everything kept apart, and git's own folder must not become instructions, by any name
 * or link.
 */
function outOfBoundsReason({
  path,
  isMemory,
}: Extract<FoundFile, { kind: 'file' }>): string | undefined {
  if (isSecretPath(path.split(/[\\/]/)))
    return `${path} is out of bounds: credentials may be kept there`;
  return isMemory ? `${path} is out of bounds: memory is kept there` : undefined;
}
