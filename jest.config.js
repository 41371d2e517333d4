/** @type {import('jest').Config} */
export default {
  testEnvironment: 'node',
  extensionsToTreatAsEsm: ['.ts'],
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
  transform: { '^.+\\.ts$': ['@swc/jest', { jsc: { target: 'es2023', parser: { syntax: 'typescript' } } }] },
  testMatch: ['<rootDir>/__tests__/**/*.test.ts'],
  testPathIgnorePatterns: [
    '/node_modules/',
    '<rootDir>/__tests__/golden/axe/',
    '<rootDir>/__tests__/fixtures/',
  ],
  modulePathIgnorePatterns: ['<rootDir>/dist/', '<rootDir>/lib/'],
  testTimeout: 60_000,
  // Jest would leave a core idle; most suites wait for the programs they start.
  maxWorkers: '100%',
};
