import Testing

@testable import ImgfetchCore

@Suite("What can be under way with so many open files") struct FileAllowanceTests {
  @Test("Enough files are no bound; few leave a part of them to each kind of use")
  func bounds() {
    #expect(FileAllowance(jobs: 100, files: 4200) == FileAllowance(jobs: 100, files: .max))
    #expect(FileAllowance(jobs: 100, files: 1024).jobs == 100)
    #expect(FileAllowance(jobs: 100, files: 2048).jobs == 100 && FileAllowance(jobs: 100, files: 2048).idle == 253)
    for files in [0, 6, 20, 24, 32, 64, 128, 256, 512, 1023] {
      let allowance = FileAllowance(jobs: 1000, files: files)
      #expect(allowance.jobs >= 1 && allowance.window >= 2)
      let all =
        2 * allowance.window + allowance.idle + allowance.lookUps + allowance.kept
        + 2 * (allowance.jobs + allowance.beside)
      if files >= 32 { #expect(20 + all <= files, "\(files)") }
    }
  }

  @Test("What so many jobs need is enough for them", arguments: [1, 100, 10_000])
  func need(jobs: Int) {
    #expect(FileAllowance(jobs: jobs, files: FileAllowance.files(forJobs: jobs)).jobs == jobs)
    #expect(FileAllowance(jobs: jobs, files: FileAllowance.files(forJobs: jobs)).beside == jobs)
  }
}
