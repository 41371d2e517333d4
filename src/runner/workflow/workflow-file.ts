import { isMap, isPair, LineCounter, type Node, parseDocument } from 'yaml';
import { isObject } from '../../lib/data.js';

/** Keys and indices from the top of a file to a place in it. */
export type YamlPath = readonly (string | number)[];

/** A workflow file, read as GitHub reads it. */
export interface WorkflowFile {
  /** From the top of the repository. */
  readonly path: string;
  readonly text: string;
}

type Mapping = Readonly<Record<string, unknown>>;

/** A step with this action, and everything around it that decides about its runs. */
export interface ActionUse {
  readonly file: string;
  readonly workflow: Mapping;
  readonly job: Mapping;
  readonly jobAt: YamlPath;
  readonly step: Mapping;
  readonly stepAt: YamlPath;
  /** The part before `@` of `uses`, and the part after it. */
  readonly action: { readonly name: string; readonly ref: string };
  /** Events with their settings. */
  readonly events: ReadonlyMap<string, Mapping>;
  readonly inputs: Readonly<Record<string, string>>;
  /** The variables of the step, with those of its job and of the workflow. */
  readonly env: Readonly<Record<string, string>>;
  /** The job's `if`; empty for none. */
  readonly condition: string;
}

export interface ParsedWorkflow {
  readonly file: string;
  readonly workflow: Mapping;
  readonly uses: readonly ActionUse[];
  /** The line of a place, or of the nearest one around it. */
  lineOf(keys: YamlPath): number;
}

/** A file that GitHub cannot read, with the first reason. */
export interface BrokenWorkflow {
  readonly file: string;
  readonly line: number;
  readonly reason: string;
}

/** A value that GitHub computes when the workflow runs. */
export function isComputed(value: unknown): boolean {
  return String(value).includes('${{');
}

export function asMapping(value: unknown): Mapping {
  return isObject(value) && !Array.isArray(value) ? value : {};
}

/** A text, number or yes or no of YAML, as GitHub passes it on; anything else is empty. */
export function asText(value: unknown): string {
  return ['string', 'number', 'boolean'].includes(typeof value) ? String(value) : '';
}

export function asSteps(job: Mapping): readonly Mapping[] {
  const steps = job['steps'];
  return Array.isArray(steps) ? steps.map(asMapping) : [];
}

const OWN_ACTION = /^([\w.-]+\/axe-action)@(.+)$/;

/** The text after `uses:` is this action, at any owner. */
export function isOwnAction(uses: string): boolean {
  return OWN_ACTION.test(uses);
}

/** Undefined for a file that does not use the action. */
export function parseWorkflow({
  path,
  text,
}: WorkflowFile): ParsedWorkflow | BrokenWorkflow | undefined {
  if (!USES_ACTION.test(text)) return undefined;
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines });
  const [error] = document.errors;
  if (error !== undefined) {
    const [reason = ''] = error.message.split('\n');
    const line = error.linePos?.[0].line ?? 1;
    const words = error.code === 'MULTIPLE_DOCS' ? SECOND_DOCUMENT : reason;
    return { file: path, line, reason: words.replace(/ at line \d+, column \d+:?$/, '') };
  }

  const workflow = asMapping(toValue(document));
  const lineOf = (keys: YamlPath) => lines.linePos(positionOf(document.contents, keys)).line;
  return { file: path, workflow, uses: usesIn(path, workflow), lineOf };
}

const SECOND_DOCUMENT = 'a second document begins, after `---`';

/** Undefined if aliases make it too large. */
function toValue(document: ReturnType<typeof parseDocument>): unknown {
  try {
    return document.toJS();
  } catch {
    return undefined;
  }
}

/** Quick, so that files without the action cost nothing. */
const USES_ACTION = /\baxe-action\b/;

/** The place of a key; where an alias or a missing key ends the way, that of the last one met. */
function positionOf(top: Node | null, keys: YamlPath): number {
  let node: unknown = top;
  let position = top?.range?.[0] ?? 0;
  for (const step of keys) {
    if (!isMap(node) && !(isObject(node) && 'items' in node)) return position;
    const items = (node as { items: readonly unknown[] }).items;
    const item =
      typeof step === 'number'
        ? items[step]
        : items.find((pair) => isPair(pair) && String(pair.key) === step);
    if (item === undefined) return position;
    const key: unknown = isPair(item) ? item.key : item;
    position = (key as Node).range?.[0] ?? position;
    node = isPair(item) ? item.value : item;
  }
  return position;
}

function usesIn(file: string, workflow: Mapping): readonly ActionUse[] {
  return Object.entries(asMapping(workflow['jobs'])).flatMap(([id, value]) => {
    const job = asMapping(value);
    return asSteps(job).flatMap((step, index): readonly ActionUse[] => {
      const [, name, ref = ''] = OWN_ACTION.exec(asText(step['uses'])) ?? [];
      if (name === undefined) return [];
      const jobAt = ['jobs', id];
      return [
        {
          file,
          workflow,
          job,
          jobAt,
          step,
          stepAt: [...jobAt, 'steps', index],
          action: { name, ref },
          events: eventsOf(workflow['on']),
          inputs: textsOf(step['with']),
          env: { ...textsOf(workflow['env']), ...textsOf(job['env']), ...textsOf(step['env']) },
          condition: asText(job['if']),
        },
      ];
    });
  });
}

function eventsOf(on: unknown): ReadonlyMap<string, Mapping> {
  if (Array.isArray(on)) return new Map(on.map((name) => [asText(name), {}]));
  if (!isObject(on)) return new Map([[asText(on), {}]]);
  return new Map(Object.entries(on).map(([name, settings]) => [name, asMapping(settings)]));
}

function textsOf(value: unknown): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(asMapping(value)).map(([name, text]) => [name, asText(text)]),
  );
}
