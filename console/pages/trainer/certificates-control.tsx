/** Leads to the certificates of all. */
export function CertificatesControl() {
  return (
    <section class="card">
      <h2>Certificates</h2>
      <p>One page for each learner who has solved a lesson, with the names of the course and of the trainer.</p>
      <p>
        <a class="button" href="#/trainer/certificates">
          Print certificates of all
        </a>
      </p>
    </section>
  );
}
