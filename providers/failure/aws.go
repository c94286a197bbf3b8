package failure

// The errors that AWS names, in small letters. They stand in the type of an error and,
// where someone in between passes it on, in its text.
var (
	// awsExpired are credentials whose time is over.
	awsExpired = []string{"expiredtokenexception", "expiredtoken"}
	// awsRefused are credentials that are not accepted, and clocks that are wrong.
	awsRefused = []string{
		"unrecognizedclientexception", "invalidclienttokenid", "invalidsignatureexception", "incompletesignatureexception",
		"signaturedoesnotmatch", "missingauthenticationtoken", "requesttimetooskewed", "requestexpired",
	}
	awsDenied    = []string{"accessdeniedexception"}
	awsThrottled = []string{"throttlingexception", "servicequotaexceededexception"}
	// awsLoading are models that are being made ready.
	awsLoading = []string{"modelnotreadyexception"}
	// awsFailed are failures of the model itself.
	awsFailed = []string{"modelerrorexception", "modelstreamerrorexception"}

	// awsUngranted are models that the account may not use.
	awsUngranted = []string{"access to the model with the specified model id"}
	// awsProfile are models that are offered only through an inference profile, which
	// has an id of its own.
	awsProfile = []string{"on-demand throughput"}
	awsModel   = []string{"model identifier is invalid", "from the provided model identifier", "reached the end of its life"}
)

// named reports whether the error bears one of the names of AWS.
func (e *evidence) named(names []string) bool { return e.coded(names) || e.has(names...) }

// byAWS knows the errors that AWS names, where their status alone would misplace them.
func (e *evidence) byAWS(c Context) (Failure, bool) {
	switch {
	case e.has(awsProfile...) && e.has("isn't supported", "isn’t supported", "not supported", "doesn't support", "doesn’t support"),
		e.has(awsUngranted...), e.has(awsModel...):
		return elsewhere(ModelNotFound), true
	case e.named(awsExpired), e.named(awsRefused):
		return otherKey(Auth), true
	case e.named(awsLoading):
		return retry(Overloaded), true
	case e.named(awsThrottled):
		return limited(), true
	case e.status == 0 && e.named(awsDenied):
		return elsewhere(Auth), true
	case e.status == 424, e.status == 0 && e.named(awsFailed):
		return e.dependency(c), true
	}
	return Failure{}, false
}

// dependency judges the failure of something behind the service: by the status that
// it had there if that is stated, and by the text where that says what is wrong with
// the request.
func (e *evidence) dependency(c Context) Failure {
	if e.original >= 400 && e.original != 424 {
		inner := *e
		inner.status = e.original
		return inner.byStatus(c)
	}
	switch {
	case e.isRequest():
		return elsewhere(FormatError)
	case e.isOverflow():
		return compress(ContextOverflow)
	}
	return retry(ServerError)
}
