import fc from 'fast-check';

/**
 * Values of each input that are worth meeting others; the default of `action.yml` is not among
 * them. Those that are refused on their own are few: a run that ends there shows nothing of the
 * other inputs.
 */
const INPUT_VALUES = {
  agent: ['builtin/pr-reviewer', 'builtin/ask', 'builtin/triage', 'forgetful', 'noter'],
  prompt: ['What is new?', 'Say `x`.\n\n```\nand <details> more'],
  model: [
    'openai/gpt-4o',
    'anthropic/claude-sonnet-4-5, openai/gpt-4o-mini',
    'offline/rules',
    'anthropic/claude-nothing',
  ],
  'agents-dir': ['other/agents'],
  'github-token': [''],
  'min-permission': ['read', 'triage', 'none'],
  'allow-bots': ['dependabot[bot]'],
  'trigger-phrase': ['@axe'],
  'max-diff-tokens': ['1', '40'],
  paths: ['src/**', 'docs/**', '!docs/**', '!**'],
  'memory-store': ['branch', 'cache', 'file', 'none'],
  'memory-branch': ['other-memory'],
  'memory-path': ['.axe/memory', 'packages/api'],
  'memory-readonly': ['true'],
  comment: ['always', 'never'],
  'block-on': ['major'],
  'min-severity': ['major', 'nit'],
  'max-comments': ['0', '1'],
  'labels-allowed': ['bug', '**'],
  'report-to': ['issue'],
  'check-run': ['true'],
  language: ['German'],
  'max-turns': ['1', '2'],
  'max-tokens': ['0'],
  'max-cost-usd': ['5'],
  'max-cost-usd-per-pr': ['5'],
  'max-cost-usd-per-day': ['5'],
  'tools-allowed': ['run_command', 'write', 'run_comand'],
  'output-schema': ['{"type":"object"}'],
  'dry-run': ['true'],
  'fail-on': ['', 'none', 'memory', 'success', 'skipped', 'success, skipped, failure'],
} as const;

/** Inputs that belong together. */
const MODES: readonly Inputs[] = [
  { mode: 'gc' },
  { mode: 'gc', 'report-to': 'issue' },
  { mode: 'gc', 'report-to': 'pull-request' },
  { mode: 'validate' },
  { mode: 'validate', agent: '' },
];

/** Inputs that are refused, that refuse one another, or that end a run early. */
const ENDS: readonly Inputs[] = [
  { agent: 'nobody' },
  { model: 'nonsense' },
  { 'timeout-minutes': '0.00001' },
  { 'max-tokens': '1' },
  { 'max-cost-usd': '0.0000001' },
  { 'max-cost-usd-per-pr': '0.0000001' },
  { 'max-cost-usd-per-day': '0.0000001' },
  { 'report-to': 'pull-request' },
  { 'memory-path': '../outside' },
  { 'timeout-minutes': 'soon' },
  { 'output-schema': '{"type":"nothing"}' },
  { 'output-schema': '{' },
  { 'repositories-token': 'canary-agents-token-0123456789' },
  { 'fail-on': 'warnings' },
  { 'dry-run': 'maybe' },
];

/** How the model behaves. */
const BEHAVIOURS = [
  'answers',
  'answers JSON',
  'reviews',
  'answers nothing',
  'refuses',
  'is cut short',
  'writes hostile markdown',
  'tells secrets',
  'calls unknown tools',
  'calls tools without end',
  'remembers a note',
  'is unknown',
  'has no such key',
  'answers a page',
] as const;

/** Events with what distinguishes one example from another. */
export const EVENTS = [
  'pull_request opened',
  'pull_request synchronize',
  'pull_request by a fork',
  'pull_request_target labeled',
  'issues opened',
  'issue_comment on an issue',
  'issue_comment with a command',
  'issue_comment on a pull request',
  'pull_request_review_comment',
  'push',
  'schedule',
  'workflow_dispatch',
  'workflow_run',
  'merge_group',
  'watch',
] as const;

const ROLES = ['write', 'read', 'none'] as const;
const CONTENTS = ['write', 'read'] as const;
const CACHES = ['writable', 'readable', 'absent'] as const;
const BEFORE = ['nothing', 'entries'] as const;

/** One configuration of a run and what it meets. */
export interface Configuration {
  readonly event: (typeof EVENTS)[number];
  readonly behaviour: (typeof BEHAVIOURS)[number];
  readonly role: (typeof ROLES)[number];
  readonly contents: (typeof CONTENTS)[number];
  readonly cache: (typeof CACHES)[number];
  readonly before: (typeof BEFORE)[number];
  readonly inputs: Inputs;
}

type Inputs = Readonly<Record<string, string>>;

/** The usual value, and another one once in so many draws. */
function seldom<T>(once: number, usual: T, others: readonly T[]): fc.Arbitrary<T> {
  return fc.oneof(
    { weight: once - 1, arbitrary: fc.constant(usual) },
    { weight: 1, arbitrary: fc.constantFrom(...others) },
  );
}

/**
 * How many inputs differ from their defaults at most: with more of them most runs would end at the
 * first refusal.
 */
const MOST_INPUTS = 10;

const SINGLE: readonly (readonly [string, string])[] = Object.entries(INPUT_VALUES).flatMap(
  ([name, values]) => values.map((value) => [name, value] as const),
);

/** Some inputs together, so that every pair of values comes up. */
const inputs: fc.Arbitrary<Inputs> = fc
  .tuple(
    fc.array(fc.constantFrom(...SINGLE), { maxLength: MOST_INPUTS }),
    seldom(5, {}, MODES),
    seldom(6, {}, ENDS),
  )
  .map(([single, mode, end]) => ({ ...Object.fromEntries(single), ...mode, ...end }));

/** Any configuration; the plainest ones come first when a failure is made smaller. */
export const anyConfiguration: fc.Arbitrary<Configuration> = fc.record({
  event: fc.constantFrom(...EVENTS),
  behaviour: fc.constantFrom(...BEHAVIOURS),
  role: seldom(6, 'write', ROLES),
  contents: fc.constantFrom(...CONTENTS),
  cache: fc.constantFrom(...CACHES),
  before: fc.constantFrom(...BEFORE),
  inputs,
});
