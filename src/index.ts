// The one entry of the bundle. Each program loads what is its own: a post step with nothing to save stays small.
export const action = async () => (hasNode24() ? await import('./action.js') : refuseOldNode());
export const post = async () => (hasNode24() ? await import('./post.js') : undefined);
export const cli = () => import('./cli.js');

/** `using: node24` asks for it; act and other runners may start an older one, which lacks parts that are used. */
function hasNode24(): boolean {
  return Number.parseInt(process.versions.node, 10) >= 24;
}

function refuseOldNode(): void {
  process.stdout.write(
    `::error title=axe-action::This action needs Node 24, and the runner started it with Node ${process.versions.node}. Update the runner, or the image that it runs in.\n`,
  );
  process.exitCode = 1;
}
