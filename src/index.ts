// The one entry of the bundle. Each program loads what is its own: a post step with nothing to save
// stays small.
export const action = async () => (hasNode(24) ? await import('./action.js') : refuseOldRunner());
export const post = async () => (hasNode(24) ? await import('./post.js') : undefined);
export const cli = async () => (hasNode(20, 19) ? await import('./cli.js') : refuseOldNode());

/**
 * action.yml and package.json ask for it; act, other runners and people may start an older one,
 * which lacks parts that are used.
 */
function hasNode(major: number, minor = 0): boolean {
  const [ownMajor = 0, ownMinor = 0] = process.versions.node.split('.').map(Number);
  return ownMajor > major || (ownMajor === major && ownMinor >= minor);
}

function refuseOldRunner(): void {
  process.stdout.write(
    `::error title=axe-action::This action needs Node 24, and the runner started it with Node ${process.versions.node}. Update the runner, or the image that it runs in.\n`,
  );
  process.exitCode = 1;
}

function refuseOldNode(): void {
  process.stderr.write(
    `axe-action needs Node 20.19 or newer, and this is Node ${process.versions.node}.\n`,
  );
  process.exitCode = 1;
}
