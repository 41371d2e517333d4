import { ConfigError } from '../../core/errors.js';
import {
  type AdmissionPolicy,
  DEFAULT_ADMISSION_POLICY,
  MIN_PERMISSIONS,
} from '../../core/event/admission-policy.js';
import { list, oneOf } from './input-values.js';

/** Name and default of every input about who may start a run, as `action.yml` has them. */
export const ADMISSION_INPUT_DEFAULTS = {
  'min-permission': DEFAULT_ADMISSION_POLICY.minPermission,
  'allow-users': '',
  'allow-bots': '',
  'trigger-phrase': DEFAULT_ADMISSION_POLICY.triggerPhrase,
} as const;

/** Reads who may start a run. Throws a ConfigError that names the input. */
export function readAdmissionInputs(
  read: (name: keyof typeof ADMISSION_INPUT_DEFAULTS) => string,
): AdmissionPolicy {
  return {
    minPermission: oneOf(MIN_PERMISSIONS, read('min-permission'), 'min-permission'),
    allowUsers: list(read('allow-users')).map((name) => login(name, 'allow-users')),
    allowBots: list(read('allow-bots')).map((name) => login(name, 'allow-bots')),
    triggerPhrase: phrase(read('trigger-phrase')),
  };
}

/** GitHub's logins, those of managed users and apps too; a leading `@` is taken off. A pattern is none. */
function login(value: string, input: string): string {
  const name = value.replace(/^@/, '');
  if (/^[A-Za-z0-9_-]{1,100}(?:\[bot\])?$/.test(name)) return name;
  throw new ConfigError(`the input \`${input}\` takes logins, not ${JSON.stringify(value)}`, {
    remedy:
      'Write each login as GitHub shows it, for example `octocat` or `dependabot[bot]`; there are no patterns.',
  });
}

function phrase(value: string): string {
  if (value.length <= MAX_PHRASE && !/[\n\r`>]/.test(value)) return value;
  throw new ConfigError(`the input \`trigger-phrase\` cannot be ${JSON.stringify(value)}`, {
    remedy: `Give one line of at most ${MAX_PHRASE} characters without code or quotation marks, for example \`@axe\`.`,
  });
}

const MAX_PHRASE = 100;
