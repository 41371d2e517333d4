/** @type {import('jest').Config} */
export default {
  testEnvironment: 'node',
  extensionsToTreatAsEsm: ['.ts'],
  moduleNameMapper: {
    '^(\\.{1,2}/.*)\\.js$': '$1',
    // Jest warns of JSON that is imported without an attribute, as this package does.
    '^.*/(workflow|action)-v1\\.0\\.min\\.json$': '<rootDir>/__tests__/helpers/$1-schema.js',
    '^fast-check$': '<rootDir>/__tests__/helpers/seeded-fast-check.ts',
  },
  transform: {
    '^.+\\.ts$': [
      '@swc/jest',
      {
        jsc: {
          target: 'es2023',
          parser: { syntax: 'typescript' },
          experimental: { keepImportAttributes: true },
        },
      },
    ],
  },
  reporters: ['default', '<rootDir>/scripts/skipped-reporter.js'],
  testSequencer: '<rootDir>/__tests__/helpers/slow-first.js',
  globalSetup: '<rootDir>/__tests__/helpers/global-setup.js',
  testMatch: ['<rootDir>/__tests__/**/*.test.ts'],
  testPathIgnorePatterns: [
    '/node_modules/',
    '<rootDir>/__tests__/golden/axe/',
    '<rootDir>/__tests__/fixtures/',
  ],
  modulePathIgnorePatterns: ['<rootDir>/dist/', '<rootDir>/lib/', '<rootDir>/eval/cases/'],
  // Wide enough for a machine that is busy with other things: no test waits for it, and most end
  // within a second. Properties that draw more take longer.
  testTimeout: 240_000 * Number(process.env.PROPERTY_RUNS || 1),
  // How long a worker may take to end, in milliseconds. Under load the default of 500 is not enough
  // even for one that leaves nothing open, and is then told as a leak.
  workerGracefulExitTimeout: 20_000,
  // A worker keeps much of what its test files loaded. Large, it needs long to collect garbage and
  // to start programs.
  workerIdleMemoryLimit: '1GB',
  // Jest would leave a core idle; most suites wait for the programs they start.
  maxWorkers: '100%',
};
