import { ACTION_ADDRESS, agentSchemaUrl } from '../../core/action-address.js';
import type { Job } from './jobs.js';

/** Where `init` lets memory live. */
export const MEMORY_PLACES = ['branch', 'cache'] as const;

/** One of {@link MEMORY_PLACES}. */
export type InitMemoryPlace = (typeof MEMORY_PLACES)[number];

/** How the model is reached, as far as a workflow has to know. */
export type ModelAccess = { readonly kind: 'key'; readonly variable: string } | { readonly kind: 'offline' };

/** What was chosen. */
export interface InitChoice {
  readonly job: Job;
  /** `provider/model`. */
  readonly model: string;
  readonly access: ModelAccess;
  readonly memory: InitMemoryPlace;
  /** The action, `owner/name@ref`. */
  readonly uses: string;
  /** The agent's file names another model, so the workflow has to name this one. */
  readonly namesModel: boolean;
}

/** The job's agent file: the one it is made from, under its own name, with its model, its skill and the form for editors. */
export function composeAgent({ job, model, uses }: InitChoice): string {
  const body = job.agentText.replace(/^#[^\n]*\n/, '');
  const named = replaceLine(body, /^name = .*$/m, `name = ${JSON.stringify(job.agent)}`);
  const modelled = replaceLine(named, /^model = .*$/m, () => `model = ${JSON.stringify(model)}`);
  const skilled = replaceLine(modelled, /^tools = .*$/m, (line) => `${line}\nskill = "${job.skill}"`);
  return `#:schema ${agentSchemaUrl(uses)}\n${skilled}`;
}

/** The job's workflow: the example with this agent, model and memory. Throws if the example has lost a line that is needed. */
export function composeWorkflow(choice: InitChoice): string {
  const { job, uses, memory } = choice;
  const head = [...job.head, 'Written by `axe-action init`; it is yours to change.'];
  const body = job.workflow.replace(/^(?:#[^\n]*\n)+/, '');
  const { before, step } = splitAtStep(body);
  const start = memory === 'branch' ? before : replaceLine(before, CONTENTS_WRITE, '  contents: read');
  return [
    ...head.map((line) => `# ${line}\n`),
    start,
    `      - uses: ${uses}\n`,
    composeStep(step, choice),
  ].join('');
}

const CONTENTS_WRITE = /^ {2}contents: write\b.*$/m;
const USES = `      - uses: ${ACTION_ADDRESS}\n`;

/** The action's step is the last of each example. */
function splitAtStep(body: string): { readonly before: string; readonly step: string } {
  const at = body.indexOf(USES);
  if (at < 0) throw new Error(`the example does not use ${ACTION_ADDRESS}`);
  return { before: body.slice(0, at), step: body.slice(at + USES.length) };
}

function composeStep(step: string, { job, model, namesModel, memory, access }: InitChoice): string {
  const withoutEnv = step.replace(/^ {8}env:\n(?: {10}.*\n)*/m, '');
  const withoutFallback = withoutEnv.replace(/^ {10}fallback-models: .*\n/m, '');
  const named = replaceLine(withoutFallback, /^ {10}agent: .*$/m, `          agent: ${job.agent}`);
  const modelled = namesModel
    ? replaceLine(named, /^ {10}agent: .*$/m, (line) => `${line}\n          model: ${model}`)
    : named;
  const stored = replaceLine(
    modelled,
    /^ {10}memory-store: .*$/m,
    `          memory-store: ${memory === 'branch' ? 'repo' : 'cache'}`,
  );
  return `${stored}${environment(access)}`;
}

function environment(access: ModelAccess): string {
  switch (access.kind) {
    case 'key':
      return `        env:\n          ${access.variable}: \${{ secrets.${access.variable} }}\n`;
    case 'offline':
      return '';
  }
}

function replaceLine(text: string, pattern: RegExp, line: string | ((found: string) => string)): string {
  if (!pattern.test(text)) throw new Error(`there is no line ${pattern} to replace`);
  return text.replace(pattern, (found) => (typeof line === 'string' ? line : line(found)));
}

/** A permission that a workflow asks for, with its reason. */
interface PermissionLine {
  readonly scope: string;
  readonly level: string;
}

/** What `permissions:` of a workflow asks for, in its order. */
export function permissionsOf(workflow: string): readonly PermissionLine[] {
  const [, block = ''] = /^permissions:\n((?: {2}.*\n)*)/m.exec(workflow) ?? [];
  return [...block.matchAll(/^ {2}([\w-]+): (\w+)/gm)].map(([, scope = '', level = '']) => ({
    scope,
    level,
  }));
}
