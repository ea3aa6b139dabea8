/** Leads to the codes of all. */
export function CodesControl() {
  return (
    <section class="card">
      <h2>Codes for all</h2>
      <p>For each learner a code to go on with in another browser, or at another address of this machine: to print.</p>
      <p>
        <a class="button" href="#/trainer/codes">
          Codes for all
        </a>
      </p>
    </section>
  );
}
