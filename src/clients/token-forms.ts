/* What people send in place of a token, or paste where one belongs, by its form alone; and what a token is told by. */

export const mistaken = {
  clientId: /^(?:demo-|preset-)[^:]*$/,
  credentials: /^(?:demo-|preset-).*:/,
  clientSecret: /^[\w-]{43}$/,
  id: /^(?:pol-|CLM-|sub-)/,
  webhookSecret: /^whsec_/,
};

/** The `typ` of what says that a person has signed in. It keeps such a ticket from being taken for a token. */
export const ticketType = 'sign-in+jwt';

/** Characters of an ES256 signature in a token. */
export const signatureLength = 86;
