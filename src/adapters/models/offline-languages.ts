/** What a line prints for its author's eyes only, by the language its file's ending tells; undefined for none. */
export function debugOutputIn(path: string, line: string): string | undefined {
  const language = LANGUAGES.find(({ endings }) => endings.includes(endingOf(path)));
  if (language === undefined) return undefined;
  const code = line.trimStart();
  if (language.comments.some((comment) => code.startsWith(comment))) return undefined;
  return language.debug.exec(code)?.[1];
}

/** Whether a file holds program code. */
export function isCode(path: string): boolean {
  return CODE_ENDINGS.has(endingOf(path));
}

/** Whether a path is that of a test, or of something only tests use, by the habits of the common languages. */
export function isTest(path: string): boolean {
  const lower = path.toLowerCase();
  return (
    /(?:^|\/)(?:__tests__|__mocks__|tests?|specs?|testing|testdata|fixtures|e2e)\//.test(lower) ||
    /(?:^|\/)(?:test_[^/]*|conftest\.py)$|[._-](?:test|tests|spec)\.\w+$/.test(lower) ||
    /Tests?\.(?:java|kt|cs|swift|php|scala)$/.test(path)
  );
}

interface Language {
  readonly endings: readonly string[];
  readonly comments: readonly string[];
  /** Group 1 is what is named in the finding. */
  readonly debug: RegExp;
}

const LANGUAGES: readonly Language[] = [
  {
    endings: ['js', 'jsx', 'mjs', 'cjs', 'ts', 'tsx', 'mts', 'cts', 'vue', 'svelte'],
    comments: ['//', '*', '/*'],
    debug: /(?<![\w.$])(console\.(?:log|debug|trace|dir|table)(?=\()|debugger(?=\s*;|\s*$))/,
  },
  {
    endings: ['py', 'pyi'],
    comments: ['#'],
    debug: /(?<![\w.])(p?print(?=\()|breakpoint(?=\()|i?pdb\.set_trace(?=\())/,
  },
  { endings: ['rs'], comments: ['//'], debug: /(?<![\w:])(dbg!(?=\())/ },
  { endings: ['go'], comments: ['//'], debug: /(?<![\w.])(fmt\.Print(?:ln|f)?(?=\()|spew\.Dump(?=\())/ },
  {
    endings: ['php'],
    comments: ['//', '#', '*', '/*'],
    debug: /(?<![\w>:$])(var_dump(?=\()|print_r(?=\()|dd(?=\()|error_log(?=\())/,
  },
  {
    endings: ['rb', 'erb', 'rake'],
    comments: ['#'],
    debug: /(?<![\w.])(binding\.(?:pry|irb)|byebug(?=\s|$)|debugger(?=\s|$))/,
  },
  {
    endings: ['java', 'kt', 'kts', 'scala'],
    comments: ['//', '*', '/*'],
    debug: /(?<![\w.])(System\.(?:out|err)\.print(?:ln|f)?(?=\()|println(?=\())/,
  },
  {
    endings: ['cs'],
    comments: ['//', '*', '/*'],
    debug: /(?<![\w.])((?:Console|Debug)\.Write(?:Line)?(?=\())/,
  },
  { endings: ['swift'], comments: ['//', '*', '/*'], debug: /(?<![\w.])((?:debugP|p)rint(?=\()|dump(?=\())/ },
  {
    endings: ['ex', 'exs'],
    comments: ['#'],
    debug: /(?<![\w.])(IO\.inspect(?=[( ])|dbg(?=\()|IEx\.pry(?=\())/,
  },
];

const CODE_ENDINGS: ReadonlySet<string> = new Set([
  ...LANGUAGES.flatMap(({ endings }) => endings),
  ...[
    'c',
    'cc',
    'cpp',
    'cxx',
    'h',
    'hpp',
    'm',
    'mm',
    'dart',
    'lua',
    'pl',
    'pm',
    'sh',
    'bash',
    'zig',
    'hs',
    'clj',
  ],
]);

function endingOf(path: string): string {
  return /\.(\w{1,10})$/.exec(path)?.[1]?.toLowerCase() ?? '';
}
