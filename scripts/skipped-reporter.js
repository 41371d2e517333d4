// Names what was skipped at the end of a test run, because the machine lacks what it needs: a jail, a
// way into one, a program, or a user who is not root.
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
      '\nSkipped, since this machine lacks a jail for commands (docs/tools.md), a program or a user:\n',
    );
    for (const name of skipped) process.stderr.write(`  ${name}\n`);
  }
}
