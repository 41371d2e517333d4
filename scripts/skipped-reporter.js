// Names what was skipped at the end of a test run: on a machine without a jail, the tests that need
// one.
export default class SkippedReporter {
  constructor({ testNamePattern }) {
    this.isWhole = !testNamePattern;
  }

  onRunComplete(_contexts, { testResults }) {
    const skipped = testResults.flatMap(({ testResults: tests }) =>
      tests.filter(({ status }) => status === 'pending').map(({ fullName }) => fullName),
    );
    if (!this.isWhole || skipped.length === 0) return;
    process.stderr.write(
      `\nSkipped, since this machine has no jail for commands (docs/tools.md):\n`,
    );
    for (const name of skipped) process.stderr.write(`  ${name}\n`);
  }
}
