// The one entry of the bundle. Each program loads what is its own: a post step with nothing to save stays small.
export const action = () => import('./action.js');
export const post = () => import('./post.js');
export const cli = () => import('./cli.js');
