/** Version of the product; a test holds it equal to package.json. */
export const VERSION = '1.0.0';
