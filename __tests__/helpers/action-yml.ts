import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';

const ACTION: {
  readonly inputs: Readonly<Record<string, { readonly default?: string }>>;
  readonly outputs: Readonly<Record<string, object>>;
} = parse(readFileSync(join(import.meta.dirname, '../../action.yml'), 'utf8'));

/** The inputs of `action.yml`, by name. */
export const ACTION_INPUTS = ACTION.inputs;

/** The outputs of `action.yml`, by name. */
export const ACTION_OUTPUTS = ACTION.outputs;
