import { isPlaceholder } from '../../core/action-address.js';
import { BUILT_IN_AGENTS } from '../../core/agent/built-in.js';
import { nearest } from '../../core/agent/suggest.js';
import type { Check } from './check.js';

/** A workflow of the repository, and the agents that there are. */
interface WorkflowRequest {
  readonly file: string;
  readonly text: string;
  /** Names of the agents that can be run from here; built-in ones need not be named. */
  readonly agents: readonly string[];
}

/**
 * What is wrong with a workflow that runs the action, as far as its lines show it; nothing for any other workflow. It is
 * not taken apart as YAML: a value that is an expression is not judged.
 */
export function checkWorkflow({ file, text, agents }: WorkflowRequest): readonly Check[] {
  const lines = text.split('\n').filter((line) => !/^\s*#/.test(line));
  const addresses = valuesOf(lines, /^\s*(?:- )?uses:\s*(\S*\/axe-action@\S+)/);
  if (addresses.length === 0) return [];
  const checks = [
    ...addressChecks(file, addresses),
    ...agentChecks(file, valuesOf(lines, /^\s*agent:\s*(\S+)/), agents),
    ...memoryChecks(file, lines),
  ];
  if (checks.length > 0) return checks;
  const secrets = [
    ...new Set(lines.flatMap((line) => [...line.matchAll(/secrets\.(\w+)/g)].map(([, name]) => name))),
  ];
  const needs =
    secrets.length === 0
      ? 'it needs no secret'
      : `it needs ${secrets.map((name) => `\`${name}\``).join(', ')}`;
  return [{ group: 'Workflows', status: 'ok', message: `${file} runs the action; ${needs}` }];
}

function valuesOf(lines: readonly string[], pattern: RegExp): readonly string[] {
  const values = lines.flatMap((line) => pattern.exec(line)?.[1] ?? []);
  return values.map((value) => value.replace(/^(['"])(.*)\1$/, '$2')).filter((value) => !value.includes('$'));
}

function addressChecks(file: string, addresses: readonly string[]): readonly Check[] {
  const placeholder = addresses.find(isPlaceholder);
  if (placeholder === undefined) return [];
  return [
    {
      group: 'Workflows',
      status: 'error',
      message: `${file} uses \`${placeholder}\`, which is a placeholder for the address of the action`,
      remedy: 'Write the owner of the action that you use in place of `YOUR_ORG`.',
    },
  ];
}

function agentChecks(file: string, named: readonly string[], agents: readonly string[]): readonly Check[] {
  const known = [...agents, ...BUILT_IN_AGENTS.map(({ name }) => name)];
  const missing = named.filter((name) => !known.includes(name) && !name.endsWith('.toml'));
  return missing.map((name) => {
    const meant = nearest(name, known);
    return {
      group: 'Workflows',
      status: 'warning',
      message: `${file} names the agent \`${name}\`, which is not here`,
      remedy:
        meant === undefined
          ? 'It may be in `agents-repo` or `agents-dir`; else `axe-action init` writes one.'
          : `Did you mean \`${meant}\`?`,
    };
  });
}

function memoryChecks(file: string, lines: readonly string[]): readonly Check[] {
  const isOnBranch = lines.some((line) => /^\s*memory-store:\s*repo\b/.test(line));
  const canWrite = lines.some((line) =>
    /^\s*(?:contents:\s*write|permissions:\s*write-all|memory-token:)/.test(line),
  );
  if (!isOnBranch || canWrite) return [];
  return [
    {
      group: 'Workflows',
      status: 'warning',
      message: `${file} keeps memory on a branch, and its token cannot write`,
      remedy: 'Add `contents: write` under `permissions:`.',
    },
  ];
}
