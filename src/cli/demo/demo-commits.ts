/** A commit of the demo: its message, and the file as it is then. */
export interface DemoCommit {
  readonly subject: string;
  readonly text: string;
}

/** The file that all of the demo is about. */
export const DEMO_FILE = 'src/greeting.ts';

/** What the default branch has. */
export const DEMO_BASE: DemoCommit = {
  subject: 'Greet everybody',
  text: `export function greeting(): string {
  return 'Hello!';
}
`,
};

/** The commits of the pull request. Each is of what `offline/rules` can see: the rules understand no code. */
export const DEMO_COMMITS: readonly DemoCommit[] = [
  {
    subject: 'Greet people by their name',
    text: `export function greeting(name: string): string {
  // TODO: translate
  console.log('greeting', name);
  return \`Hello, \${name}!\`;
}
`,
  },
  {
    subject: 'Take the debug output out',
    text: `export function greeting(name: string): string {
  // TODO: translate
  return \`Hello, \${name}!\`;
}
`,
  },
  {
    subject: 'Log again, and say what the TODO is about',
    text: `export function greeting(name: string): string {
  // TODO: translate for every language
  console.log('greeting', name);
  return \`Hello, \${name}!\`;
}
`,
  },
];

/** What a person with write access answers to the first review, to the finding on the line with this text. */
export const DEMO_ANSWER = { by: 'you', line: 'TODO', text: 'By design: callers translate.' };
