import type { AgentLibrary } from '../agent/agent-source.js';
import { mapTexts } from '../lib/data.js';
import type { MemoryTree } from '../memory/change.js';
import type { MemoryStore } from '../memory/store.js';
import { hideValues } from '../safety/redact.js';
import type { Dependencies } from './dependencies.js';
import type { RunRequest } from './records.js';

type Hide = (text: string) => string;

/**
 * The event, local changes, files and memory of a run without secrets. They are masked where they
 * are read, before anything is cut or searched: a part of a secret cannot be recognized. The same
 * is true of the clients and tools that {@link Dependencies} holds.
 */
export function withMaskedInputs(
  request: RunRequest,
  deps: Dependencies,
): { readonly request: RunRequest; readonly deps: Dependencies } {
  const hide = (text: string) => hideValues(text, deps.secrets.values);
  return {
    request: {
      ...request,
      trigger: mapTexts(request.trigger, hide),
      readStdin: async () => hide(await request.readStdin()),
      async readChange() {
        const change = await request.readChange();
        if (change === undefined) return undefined;
        const { readBase } = change;
        return {
          ...change,
          diff: hide(change.diff),
          readBase: readBase && (async (paths) => mapTexts(await readBase(paths), hide)),
        };
      },
    },
    deps: {
      ...deps,
      agents: maskedAgents(deps.agents, hide),
      openMemory: (agent, memory) => maskedMemory(deps.openMemory(agent, memory), hide),
    },
  };
}

/** Texts that agents bring into prompts. Their own files are settings, which are not cut. */
function maskedAgents(agents: AgentLibrary, hide: Hide): AgentLibrary {
  return {
    ...agents,
    loadSkill: async (path, agent) => hide(await agents.loadSkill(path, agent)),
    loadContextFiles: async (patterns, workdir, agent) =>
      mapTexts(await agents.loadContextFiles(patterns, workdir, agent), hide),
    loadGuidance: async (paths, agent) => mapTexts(await agents.loadGuidance(paths, agent), hide),
  };
}

/** Notes and run logs; the store itself applies changes to the unmasked files. */
function maskedMemory(store: MemoryStore, hide: Hide): MemoryStore {
  const hideTree = (tree: MemoryTree): MemoryTree =>
    new Map([...tree].map(([path, text]) => [path, hide(text)]));
  return {
    ...store,
    async read(request, signal) {
      const result = await store.read(request, signal);
      if (result.kind === 'failed') return result;
      const alongside = result.alongside && hideTree(result.alongside);
      return result.kind === 'restored'
        ? { ...result, alongside, text: hide(result.text) }
        : { ...result, alongside };
    },
    async readTree(signal, under) {
      const result = await store.readTree(signal, under);
      return result.kind === 'tree' ? { ...result, tree: hideTree(result.tree) } : result;
    },
  };
}
