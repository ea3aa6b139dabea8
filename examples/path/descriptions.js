/** Lessons “Descriptions”. */
export async function descriptions(me) {
  // lesson: draft-and-version
  // Each description is there as YAML and as JSON.
  const schemas = async (version) => (await me.call('GET', `/insurer/${version}/openapi.json`)).json.components.schemas;
  const [draft, real] = [await schemas('v0'), await schemas('v1')];

  // What means the same, by reading both. The rest of v1 is not in the draft.
  const pairs = {
    id: 'number',
    status: 'state',
    regNumber: 'registration',
    holder: 'holderName',
    coverageOption: 'optionId',
    startDate: 'validFrom',
    endDate: 'validTo',
  };
  const lacking = (drafted, built) =>
    Object.keys(built.properties).filter((name) => !(pairs[name] in drafted.properties));
  const names = [...lacking(draft.PolicyRequest, real.PolicyDraft), ...lacking(draft.Policy, real.Policy)];
  await me.answer('draft-and-version', names);
  // end
}
