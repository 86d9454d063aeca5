// Package verbs holds what RDMA tools and the hosts of a testbed say, as Go values.
//
// Every Parse function takes an io.Reader and returns values; nothing in this package starts a
// program, dials, or looks at a clock, so that a live node and a recording are read alike.
//
//	ParseIBStatus        ibstatus                          infiniband-diags, scripts/ibstatus
//	ParseIBStat          ibstat                            infiniband-diags, src/ibstat.c
//	ParseDevinfo         ibv_devinfo [-v]                  rdma-core, libibverbs/examples/devinfo.c
//	ParseShowGIDs        show_gids                         MLNX_OFED
//	ParseSysfs           grep -r . /sys/class/infiniband   kernel, Documentation/ABI/stable/sysfs-class-infiniband
//	ParseIBDev2Netdev    ibdev2netdev [-v]                 MLNX_OFED
//	ParseRDMALink        rdma [-j] link                    iproute2, rdma/link.c
//	ParseRDMAStatistic   rdma statistic                    iproute2, rdma/stat.c
//	ParseOFED            ofed_info -s                      MLNX_OFED
//	ParsePerftest        ib_write_bw, ib_read_lat, …       perftest, src/perftest_parameters.c
//	ParsePerftestVersion ib_write_bw --version             perftest, src/perftest_parameters.c
//	ParseCmdline         /proc/cmdline                     kernel, admin-guide/kernel-parameters.txt
//	ParseGrub            /etc/default/grub, grub.d/*.cfg   GRUB, util/grub-mkconfig.in
//	ParseIOMMULog        dmesg                             kernel, drivers/iommu
//	ParseKernelLog       dmesg, journalctl -k              kernel, mm/oom_kill.c, drivers/net, drivers/infiniband
//	ParseSS              ss -tlnp                          iproute2, misc/ss.c
//	ParseIPAddr          ip -br addr, ip -j addr           iproute2, ip/ipaddress.c
//	ParseLsmod           lsmod                             kmod, tools/lsmod.c
//	ParseChecksums       md5sum, sha256sum, … and -c       GNU coreutils, src/digest.c
//	ParseMemcachedStats  stats, stats settings             memcached, doc/protocol.txt
//	ParseFiles           tail -v -n +1 FILE…               GNU coreutils, src/tail.c
//
// The rules are the same for all of them. Escape codes, CR LF and lines of other programs do no harm.
// What a tool did not print is absent (nil, an empty string, or Unknown), never 0. Where a tool
// can be silent or forbidden, the answer is a Probe: yes, no, or unknown with the reason. An input from which
// nothing can be taken is an error compatible with ErrNoData that tells what was looked for, and with
// ErrToolMissing or ErrPermission where the input says so; beside an error there is no value. Lines longer
// than 1 MiB are passed over and what stands after 32 MiB is not read, and both are told, as is
// a capture that begins or ends inside the tool's output.
//
// MapDevices joins what several of them say of one node's devices: which device, port, netdev, PCI address and GID
// index carry an address, and whether a cluster file is right about them.
//
// RCTransition and CheckRCModify are the state machine of a reliable connected queue pair as data, RCParams its times, and Exchange
// carries what two queue pairs must know of each other over any stream, authenticated by a token.
package verbs
