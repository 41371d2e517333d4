import { dirname } from 'node:path';
import { errorFault, inFileOrder, warningFault } from '../../agent/fault.js';
import { inspectAgent } from '../../agent/inspect.js';
import { type AgentFile, type ListedFile, twinError } from '../../agent/loader.js';
import { ConfigError } from '../../lib/errors.js';
import { compareBytes } from '../../lib/text/bytes.js';
import { checkForm, checkReferences, type References } from './check-references.js';
import type { CheckedAgent, Validation, ValidationDependencies, ValidationRequest } from './validation.js';

/** Most files and patterns that are looked for: anybody may have written what agents name, and each one costs a request or a walk. */
const MAX_LOOK_UPS = 300;

/**
 * Looks at agents, and at the sub-agents they name, without running any of them. Throws a ConfigError where there is
 * nothing to look at, for a name that was asked for and is none, and for an `output-schema` that is none.
 */
export async function validateAgents(
  { names, outputSchema, isFolderNamed }: ValidationRequest,
  deps: ValidationDependencies,
): Promise<Validation> {
  const { agents: loader } = deps;
  await checkForm({ responseFormat: undefined }, outputSchema, deps.checkSchema);
  const places = await loader.listFiles();
  if (names.length === 0 && places.length === 0) throw noAgents(loader.folders, deps);
  const [named = ''] = isFolderNamed ? loader.folders : [];
  if (named !== '' && !places.some(({ file }) => file.startsWith(`${named}/`))) throw noAgents([named], deps);
  const queue = createQueue(deps, places);
  const requested = names.length === 0 ? places.map(({ name }) => name) : names;
  for (const name of requested) {
    const missing = await queue.add(name);
    if (missing !== undefined) throw missing;
  }
  const agents = await queue.finish();
  return { where: deps.where, agents: agents.toSorted((a, b) => compareBytes(a.file, b.file)) };
}

function noAgents(folders: readonly string[], { where }: ValidationDependencies): ConfigError {
  const named = listFolders(folders);
  return new ConfigError(`there are no agents in ${named} of ${where}`, {
    remedy:
      'Name another folder with `agents-dir` (`--agents-dir`), or an agent by the path of its file. `axe-action init` writes an agent.',
  });
}

function listFolders(folders: readonly string[]): string {
  const quoted = folders.map((folder) => `\`${folder}\``);
  const last = quoted.pop() ?? '';
  return quoted.length === 0 ? last : `${quoted.join(', ')} and ${last}`;
}

/** An agent that is to be looked at, or why its file cannot be read. */
type Added =
  | { readonly kind: 'text'; readonly text: AgentFile }
  | { readonly kind: 'unreadable'; readonly place: ListedFile; readonly error: ConfigError };

function createQueue(deps: ValidationDependencies, places: readonly ListedFile[]) {
  const listed = new Map(places.map((place) => [place.name, place]));
  const files = new Map<string, string | ConfigError>();
  const pending: Added[] = [];
  const seen = new Set<string>();
  const counted = new Map<string, Promise<number | undefined>>();
  let lookUps = 0;

  function lookUp(): void {
    deps.signal?.throwIfAborted();
    lookUps += 1;
    if (lookUps <= MAX_LOOK_UPS) return;
    throw new ConfigError(`there are more than ${MAX_LOOK_UPS} agents and files that they name`, {
      remedy: 'Look at them one by one: name one with `agent`.',
    });
  }

  /** The file of an agent, or why there is none. */
  async function fileOf(name: string): Promise<string | ConfigError> {
    const known = files.get(name);
    if (known !== undefined) return known;
    lookUp();
    const found = await read(name, listed.get(name));
    files.set(name, found);
    return found;
  }

  async function read(name: string, place: ListedFile | undefined): Promise<string | ConfigError> {
    try {
      const text = await deps.agents.openAgent(name);
      const file = text.file.toLowerCase();
      const twin = places.find((other) => other.file !== text.file && other.file.toLowerCase() === file);
      // A run at a ref asks for the one file, and lists nothing.
      if (twin !== undefined) throw twinError(name, twin.name, dirname(text.file));
      enqueue(text.file, { kind: 'text', text });
      return text.file;
    } catch (thrown) {
      if (!(thrown instanceof ConfigError)) throw thrown;
      if (place === undefined) return thrown;
      enqueue(place.file, { kind: 'unreadable', place, error: thrown });
      return place.file;
    }
  }

  function enqueue(file: string, added: Added): void {
    if (seen.has(file)) return;
    seen.add(file);
    pending.push(added);
  }

  const references: References = {
    ...deps,
    lookUp,
    countFiles(pattern, workdir) {
      const key = JSON.stringify([workdir, pattern]);
      const known = counted.get(key);
      if (known !== undefined) return known;
      lookUp();
      const count = deps.agents.countFiles(pattern, workdir);
      counted.set(key, count);
      return count;
    },
    findSubAgent: async (name) => asError(await fileOf(name)),
  };

  return {
    /** An error is one that has no file of its own to be told at. */
    add: async (name: string) => asError(await fileOf(name)),
    /** Looks at all that were added, and at those they name. */
    async finish(): Promise<readonly CheckedAgent[]> {
      const checked: CheckedAgent[] = [];
      for (let next = pending.shift(); next !== undefined; next = pending.shift()) {
        checked.push(await checkAgent(next, references));
      }
      return checked;
    },
  };
}

function asError(found: string | ConfigError): ConfigError | undefined {
  return found instanceof ConfigError ? found : undefined;
}

async function checkAgent(added: Added, references: References): Promise<CheckedAgent> {
  if (added.kind === 'unreadable') {
    const { place, error } = added;
    const at = { file: place.file };
    return { ...place, config: undefined, faults: [errorFault(error, at)] };
  }
  const { text } = added;
  const { name, file } = text;
  const { config, errors, warnings, workflowWarnings, locator } = inspectAgent(text.text, { name, file });
  const own = [
    ...errors.map((error) => errorFault(error, { file })),
    ...[...warnings, ...workflowWarnings].map((warning) => warningFault(warning, { file })),
  ];
  if (config === undefined) return { name, file, config, faults: own };
  const named = await checkReferences({ ...text, config, locator }, references);
  return { name, file, config, faults: inFileOrder([...own, ...named]) };
}
