import { describe, expect, it } from '@jest/globals';
import { type ChangeRules, whyNotAllowed } from '../../../src/tools/workspace/changes.js';

const RULES: ChangeRules = {
  allowed: ['**'],
  memoryRoots: ['notes/memory'],
  agentsDirs: ['bots/agents'],
  instructionFiles: () => ['prompts/steer.md'],
  secrets: [],
};
const byName = (kind: string) => `${kind} is changed only if \`changes-allowed\` names it`;
const BY_DOT = byName('a name that begins with a dot');
const LOCK_FILE = byName('a lock file');
const OTHER_AGENTS = byName('a file that guides other agents');
const SERVICE = byName('a file that configures a CI service or a bot');

/** Paths that `true` does not open and that a pattern with their name opens. */
const BY_NAME: readonly (readonly [reason: string, paths: readonly string[]])[] = [
  [
    BY_DOT,
    [
      '.devcontainer/devcontainer.json',
      '.devcontainer/Dockerfile',
      '.vscode/tasks.json',
      '.vscode/settings.json',
      '.idea/workspace.xml',
      '.husky/pre-commit',
      '.circleci/config.yml',
      '.buildkite/pipeline.yml',
      '.woodpecker/deploy.yaml',
      '.drone.yml',
      '.travis.yml',
      '.cirrus.yml',
      '.appveyor.yml',
      '.azure-pipelines/build.yml',
      '.pre-commit-config.yaml',
      '.lefthook.yml',
      '.renovaterc.json',
      '.dependabot/config.yml',
      '.eslintrc.json',
      'src/.eslintrc.cjs',
      '.prettierrc.js',
      '.babelrc',
      '.swcrc',
      '.mocharc.js',
      '.nycrc',
      '.lintstagedrc',
      '.releaserc.json',
      '.editorconfig',
      '.dockerignore',
      '.npmignore',
      '.nvmrc',
      '.tool-versions',
      '.python-version',
      '.mvn/maven.config',
      '.cargo/config.toml',
      '.bazelrc',
      '.clangd',
      '.mcp.json',
      'packages/app/.mcp.json',
      '.windsurfrules',
      '.clinerules/rules.md',
      '.roo/rules.md',
      '.gemini/settings.json',
      '.opencode/agent/build.md',
      '.codex/config.toml',
      '.continue/config.yaml',
      '.aider.conf.yml',
      '.goosehints',
      '.env.example',
      '.hidden',
      'src/.hidden/x',
      'a/b/.c/d/e.ts',
      '..odd/x',
    ],
  ],
  [
    LOCK_FILE,
    [
      'package-lock.json',
      'app/Cargo.lock',
      'npm-shrinkwrap.json',
      'pnpm-lock.yaml',
      'yarn.lock',
      'bun.lockb',
      'uv.lock',
      'go.sum',
      'go.work.sum',
      'gradle.lockfile',
      'packages.lock.json',
      'infra/terraform.lock.hcl',
      'ios/Package.resolved',
      'gradle/verification-metadata.xml',
      'obj/project.assets.json',
    ],
  ],
  [
    OTHER_AGENTS,
    [
      '.vscode/mcp.json',
      'AGENTS.override.md',
      'AGENT.md',
      'CLAUDE.local.md',
      'QWEN.md',
      'COPILOT.md',
      'CRUSH.md',
      'WARP.md',
      'skills/deploy/SKILL.md',
      'CONVENTIONS.md',
      'mcp.json',
      'tools/MCP.json',
      'opencode.json',
    ],
  ],
  [
    SERVICE,
    [
      'Jenkinsfile',
      'ci/Jenkinsfile.release',
      'ci/deploy.jenkinsfile',
      'azure-pipelines.yml',
      'azure-pipelines-nightly.yml',
      'bitbucket-pipelines.yml',
      'cloudbuild.yaml',
      'appveyor.yml',
      'codemagic.yaml',
      'wercker.yml',
      'buildspec.yml',
      'buildspec-deploy.yml',
      'screwdriver.yaml',
      'lefthook.yml',
      'lefthook-local.yml',
      'renovate.json',
      'renovate.json5',
      'dependabot.yml',
      'Dangerfile',
      'dangerfile.ts',
    ],
  ],
];

const STEERS = 'only people change workflows, actions, agents and skills';
const GIT = 'only people change what configures git and GitHub';
const GUIDES = 'only people change what guides agents';
const SECRET = 'credentials may be kept there';

/** Paths that no pattern opens. */
const NEVER: readonly (readonly [reason: string, paths: readonly string[]])[] = [
  [STEERS, ['.github/workflows/ci.yml', '.GitHub/dependabot.yml', 'tools/action.yml']],
  [STEERS, ['axe/agents/fixer.toml', 'bots/agents/a.toml', 'bots/skills/fix/SKILL.md']],
  [STEERS, ['axe/skills/fix/SKILL.md', 'prompts/steer.md']],
  [GIT, ['.gitignore', 'sub/.gitattributes', '.gitmodules', '.gitlab-ci.yml']],
  [SECRET, ['.env', '.git/config', '.npmrc', 'deploy/id_rsa', '.aws/credentials']],
  [
    GUIDES,
    ['AGENTS.md', 'src/agents.md', 'CLAUDE.md', 'GEMINI.md', 'REVIEW.md', 'ＣＬＡＵＤＥ.md'],
  ],
  [GUIDES, ['.claude/settings.json', '.cursor/rules/style.mdc', '.cursorrules']],
  ['only people change who owns the code', ['CODEOWNERS', 'docs/CODEOWNERS']],
  ['memory is kept there', ['notes/memory/fixer.md']],
];

/** Paths that `true` opens. They run, as every source file does, and reviewers read them. */
const OPEN = [
  'package.json',
  'Makefile',
  'Dockerfile',
  'docker-compose.yml',
  'requirements.txt',
  'setup.py',
  'conftest.py',
  'vercel.json',
  'pyproject.toml',
  'go.mod',
  'tsconfig.json',
  'gradlew.bat',
  'src/a.ts',
  'src/a.b.c.ts',
  'a file with spaces.md',
  'README.md',
  'docs/agents-guide.md',
  'docs/review.txt',
  'src/renovate.ts',
  'src/wercker/parser.go',
  'src/jenkinsfile-parser.ts/index.ts',
  'src/lock.ts',
  'src/locks/lock.ts',
  'docs/lock.md',
];

const rowsOf = (table: typeof BY_NAME) =>
  table.flatMap(([reason, paths]) => paths.map((path) => [path, reason] as const));

/** A file system could take these names for ones that begin with a dot; no pattern writes them. */
const DISGUISED = [
  '．devcontainer/a',
  '\u2024devcontainer/a',
  '\u200b.devcontainer/a',
  'src/．eslintrc',
];

/** The pattern that names exactly this path. */
const named = (path: string) => [path.replace(/[*?[\\]/g, '\\$&')];

describe('with `changes-allowed: true`', () => {
  it.each(rowsOf(BY_NAME))('%j is refused: %s', (path, reason) => {
    expect(whyNotAllowed(path, RULES)).toBe(reason);
  });

  it.each(rowsOf(NEVER))('%j is refused, whatever is named: %s', (path, reason) => {
    expect(whyNotAllowed(path, RULES)).toBe(reason);
    expect(whyNotAllowed(path, { ...RULES, allowed: named(path) })).toBe(reason);
  });

  it.each(DISGUISED)('%j is refused, by its dot', (path) => {
    expect(whyNotAllowed(path, RULES)).toBe(BY_DOT);
    expect(whyNotAllowed(path, { ...RULES, allowed: ['.devcontainer/**'] })).toBeDefined();
  });

  it.each(OPEN)('%j is open', (path) => {
    expect(whyNotAllowed(path, RULES)).toBeUndefined();
  });
});

it.each(rowsOf(BY_NAME))('a workflow that names %j lets runs change it', (path) => {
  expect(whyNotAllowed(path, { ...RULES, allowed: named(path) })).toBeUndefined();
});

it.each<[readonly string[], string, string | undefined]>([
  [['.devcontainer/**'], '.devcontainer/devcontainer.json', undefined],
  [['.devcontainer/**'], '.devcontainer/.env.example', BY_DOT],
  [['src/**/.eslintrc.json'], 'src/deep/.eslintrc.json', undefined],
  [['src/**/.eslintrc.json'], 'src/.cache/.eslintrc.json', BY_DOT],
  [['**/.eslintrc.*'], 'src/.eslintrc.cjs', undefined],
  [['**', '.vscode/*'], '.vscode/tasks.json', undefined],
  [['**', '.vscode/*'], '.idea/workspace.xml', BY_DOT],
  [['src/**'], 'src/.hidden', BY_DOT],
  [['src/**'], '.hidden', 'the workflow lets runs change `src/**` alone'],
  [['.github/**', '.env', '.gitignore'], '.github/workflows/ci.yml', STEERS],
  [['**', 'docs/package-lock.json'], 'app/package-lock.json', LOCK_FILE],
  [['**', '**/package-lock.json'], 'app/package-lock.json', undefined],
  [['*.json'], 'package-lock.json', LOCK_FILE],
  [['ci/*'], 'ci/Jenkinsfile', SERVICE],
  [['ci/*', '*/Jenkinsfile'], 'ci/Jenkinsfile', undefined],
  [['**', 'tools/mcp.json'], 'mcp.json', OTHER_AGENTS],
  [['**', 'tools/mcp.json'], 'tools/mcp.json', undefined],
])('with `changes-allowed` of %j, %j is refused with %j', (allowed, path, reason) => {
  expect(whyNotAllowed(path, { ...RULES, allowed })).toBe(reason);
});
